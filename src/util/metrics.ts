/** Counters, gauges and histograms in Prometheus' text format. No dependency and no global registry. */

export type Labels = Readonly<Record<string, string>>;

type MetricType = 'counter' | 'gauge' | 'histogram';

/** One number of a counter or gauge, for one set of labels. */
export class Value {
  #value = 0;
  #read: (() => number) | undefined;

  get value(): number {
    return this.#read ? this.#read() : this.#value;
  }

  increment(by = 1): void {
    this.#value += by;
  }

  set(value: number): void {
    this.#value = value;
  }

  /** Computes the value whenever it is read, instead of storing it. */
  read(read: () => number): void {
    this.#read = read;
  }
}

/** One distribution, for one set of labels. */
export class Distribution {
  readonly bounds: readonly number[];
  /** `counts[i]` observations are at most `bounds[i]` and more than the bound before; the last counts the rest. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let i = 0;
    while (i < this.bounds.length && value > (this.bounds[i] ?? 0)) i++;
    this.counts[i] = (this.counts[i] ?? 0) + 1;
    this.sum += value;
  }

  get count(): number {
    return this.counts.reduce((total, count) => total + count, 0);
  }
}

class Metric<C> {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  readonly #create: () => C;
  readonly children: Map<string, { readonly labels: Labels; readonly child: C }> = new Map();

  constructor(name: string, help: string, type: MetricType, create: () => C) {
    this.name = name;
    this.help = help;
    this.type = type;
    this.#create = create;
  }

  /** The child for a set of labels, created on first use. Keep it: looking it up costs more than using it. */
  labels(labels: Labels): C {
    const id = labelText(labels);
    const known = this.children.get(id);
    if (known !== undefined) return known.child;
    const child = this.#create();
    this.children.set(id, { labels, child });
    return child;
  }

  /** Removes every child that has all of these labels. */
  remove(labels: Labels): void {
    const wanted = Object.entries(labels);
    for (const [id, child] of this.children) {
      if (wanted.every(([name, value]) => child.labels[name] === value)) this.children.delete(id);
    }
  }
}

export type ValueMetric = Pick<Metric<Value>, 'labels' | 'remove'>;
export type DistributionMetric = Pick<Metric<Distribution>, 'labels' | 'remove'>;

/** Seconds: from a fraction of a slice to a minute. */
const DEFAULT_BOUNDS: readonly number[] = [
  0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60,
];

/** All metrics of an engine. A name always returns the same metric. */
export class Metrics {
  readonly #metrics = new Map<string, Metric<Value> | Metric<Distribution>>();
  readonly #registries: PromClientRegistry[] = [];

  counter(name: string, help: string): ValueMetric {
    return this.#metric(name, () => new Metric(name, help, 'counter', () => new Value())) as Metric<Value>;
  }

  gauge(name: string, help: string): ValueMetric {
    return this.#metric(name, () => new Metric(name, help, 'gauge', () => new Value())) as Metric<Value>;
  }

  histogram(name: string, help: string, bounds: readonly number[] = DEFAULT_BOUNDS): DistributionMetric {
    return this.#metric(
      name,
      () => new Metric(name, help, 'histogram', () => new Distribution(bounds)),
    ) as Metric<Distribution>;
  }

  /** Removes every child that has all of these labels, so that removed informers leave no series behind. */
  remove(labels: Labels): void {
    for (const metric of this.#metrics.values()) metric.remove(labels);
  }

  /** Prometheus' text format, version 0.0.4. */
  text(): string {
    let text = '';
    for (const metric of this.#metrics.values()) {
      if (metric.children.size === 0) continue;
      text += `# HELP ${metric.name} ${metric.help}\n# TYPE ${metric.name} ${metric.type}\n`;
      for (const { metricName, labels, value } of samplesOf(metric)) {
        text += `${metricName}${labelText(labels)} ${numberText(value)}\n`;
      }
    }
    return text;
  }

  /**
   * Adds all metrics, and those that are created later, to a registry of prom-client, which then reports them with
   * the program's own. Throws if the registry already has a metric of the same name: of another engine, say, with
   * which this `Metrics` should be shared instead.
   */
  register(registry: PromClientRegistry): void {
    for (const metric of this.#metrics.values()) registry.registerMetric(promClientMetric(metric) as never);
    this.#registries.push(registry);
  }

  #metric(
    name: string,
    create: () => Metric<Value> | Metric<Distribution>,
  ): Metric<Value> | Metric<Distribution> {
    const known = this.#metrics.get(name);
    if (known !== undefined) return known;
    const metric = create();
    this.#metrics.set(name, metric);
    for (const registry of this.#registries) registry.registerMetric(promClientMetric(metric) as never);
    return metric;
  }
}

/** prom-client's `Registry`, by structure. Its own type for metrics is a union of its classes. */
export interface PromClientRegistry {
  registerMetric(metric: never): void;
}

/** What a registry of prom-client reads of a metric. */
function promClientMetric(metric: Metric<Value> | Metric<Distribution>): object {
  const { name, help, type } = metric;
  return {
    name,
    help,
    get: async () => ({ name, help, type, values: samplesOf(metric), aggregator: 'sum' }),
    // `registry.resetMetrics()` is for tests of the program's own metrics.
    reset: () => {},
  };
}

/** One line of the text format. */
interface Sample {
  readonly metricName: string;
  readonly labels: Labels;
  readonly value: number;
}

function samplesOf({ name, children }: Metric<Value> | Metric<Distribution>): Sample[] {
  return [...children.values()].flatMap(({ labels, child }) =>
    child instanceof Value
      ? [{ metricName: name, labels, value: child.value }]
      : histogramSamples(name, labels, child),
  );
}

function histogramSamples(name: string, labels: Labels, distribution: Distribution): Sample[] {
  let cumulative = 0;
  const buckets = [...distribution.bounds, Number.POSITIVE_INFINITY].map((bound, i) => {
    cumulative += distribution.counts[i] ?? 0;
    const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound);
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: cumulative };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: distribution.sum },
    { metricName: `${name}_count`, labels, value: distribution.count },
  ];
}

/** Go's spelling of infinity. */
function numberText(value: number): string {
  return Number.isFinite(value) || Number.isNaN(value) ? String(value) : value > 0 ? '+Inf' : '-Inf';
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
