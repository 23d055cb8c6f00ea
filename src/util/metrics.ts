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
      for (const { labels, child } of metric.children.values()) {
        text +=
          child instanceof Value
            ? valueText(metric.name, labels, child)
            : histogramText(metric.name, labels, child);
      }
    }
    return text;
  }

  #metric(
    name: string,
    create: () => Metric<Value> | Metric<Distribution>,
  ): Metric<Value> | Metric<Distribution> {
    const known = this.#metrics.get(name);
    if (known !== undefined) return known;
    const metric = create();
    this.#metrics.set(name, metric);
    return metric;
  }
}

function valueText(name: string, labels: Labels, value: Value): string {
  return `${name}${labelText(labels)} ${value.value}\n`;
}

function histogramText(name: string, labels: Labels, distribution: Distribution): string {
  let text = '';
  let cumulative = 0;
  for (const [i, bound] of [...distribution.bounds, Number.POSITIVE_INFINITY].entries()) {
    cumulative += distribution.counts[i] ?? 0;
    const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound);
    text += `${name}_bucket${labelText({ ...labels, le })} ${cumulative}\n`;
  }
  text += `${name}_sum${labelText(labels)} ${distribution.sum}\n`;
  text += `${name}_count${labelText(labels)} ${distribution.count}\n`;
  return text;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
