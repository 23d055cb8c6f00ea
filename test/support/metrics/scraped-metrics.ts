import parsePrometheusTextFormat, { type ParsedFamily } from 'parse-prometheus-text-format';

type Labels = Readonly<Record<string, string>>;

/** What Prometheus reads from `/metrics`, by a parser of its text format that is not ours. */
export class ScrapedMetrics {
  readonly #families: ReadonlyMap<string, ParsedFamily>;
  /** By the name on the line: `…_bucket` and so on of a histogram. */
  readonly #samples: ReadonlyMap<string, ParsedFamily>;

  constructor(text: string) {
    const families = (parsed: string) =>
      new Map(parsePrometheusTextFormat(parsed).map((family) => [family.name, family]));
    this.#families = families(text);
    // The parser drops the labels of a histogram, but not those of its lines if nothing says that they are one.
    this.#samples = families(text.replaceAll(/^# (HELP|TYPE) .*\n/gm, ''));
  }

  get names(): string[] {
    return [...this.#families.keys()];
  }

  typeOf(name: string): string | undefined {
    return this.#families.get(name)?.type.toLowerCase();
  }

  /** The names of the labels of the first line of this name. */
  labelNames(name: string): string[] {
    return Object.keys(this.#samples.get(name)?.metrics[0]?.labels ?? {}).sort();
  }

  /** The value of the first line of this name that has all of these labels; NaN if there is none. */
  value(name: string, labels: Labels = {}): number {
    const wanted = Object.entries(labels);
    const sample = this.#samples
      .get(name)
      ?.metrics.find((candidate) => wanted.every(([label, value]) => candidate.labels?.[label] === value));
    return Number(sample?.value ?? Number.NaN);
  }

  /** The upper bounds of a histogram, in order. */
  bounds(name: string): string[] {
    const lines = this.#samples.get(`${name}_bucket`)?.metrics ?? [];
    return [...new Set(lines.map(({ labels }) => labels?.['le'] ?? ''))];
  }
}
