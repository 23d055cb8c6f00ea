/** The package has no types. */
declare module 'parse-prometheus-text-format' {
  export interface ParsedFamily {
    readonly name: string;
    readonly help: string;
    readonly type: 'COUNTER' | 'GAUGE' | 'HISTOGRAM' | 'SUMMARY' | 'UNTYPED';
    /** Of histograms, without labels. */
    readonly metrics: readonly {
      readonly labels?: Readonly<Record<string, string>>;
      readonly value?: string;
    }[];
  }

  export default function parsePrometheusTextFormat(text: string): ParsedFamily[];
}
