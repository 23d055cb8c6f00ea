import type { Entry, InformerEvent, KubernetesObject } from '../../index.js';
import { time } from '../terminal/figures.js';
import { paint, type Style } from '../terminal/output.js';

export type Format = 'plain' | 'name' | 'json' | 'wide';

type ChangeEvent = Exclude<InformerEvent<KubernetesObject>, { readonly type: 'synced' }>;

interface Details extends KubernetesObject {
  readonly metadata?: KubernetesObject['metadata'] & { readonly creationTimestamp?: string };
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
}

const STYLES: Readonly<Record<ChangeEvent['type'], Style>> = {
  add: 'green',
  update: 'yellow',
  delete: 'red',
};
/** Watch events' own names. */
const NAMES: Readonly<Record<ChangeEvent['type'], string>> = {
  add: 'ADDED',
  update: 'MODIFIED',
  delete: 'DELETED',
};

/** How one change is shown. `plural` is for names, `indexes` for columns. */
export class EventLines {
  readonly #format: Format;
  readonly #plural: string;
  readonly #indexes: readonly string[];

  constructor(format: Format, plural: string, indexes: readonly string[]) {
    this.#format = format;
    this.#plural = plural;
    this.#indexes = indexes;
  }

  /** Above the lines, or nothing. */
  get heading(): string | undefined {
    if (this.#format !== 'wide') return undefined;
    return [
      column('EVENT', 9),
      column('NAMESPACE', 16),
      column('NAME', 40),
      column('VERSION', 10),
      column('AGE', 8),
      'PHASE',
      ...this.#indexes.map((path) => path.toUpperCase()),
    ].join(' ');
  }

  line(event: ChangeEvent): string {
    const { entry } = event;
    if (this.#format === 'json') return JSON.stringify({ type: NAMES[event.type], object: entry.object });
    if (this.#format === 'name') return `${this.#plural}/${entry.key}`;
    const type = paint(STYLES[event.type], column(NAMES[event.type], 9));
    const values = this.#indexes.map((path) => entry.indexValues(path)?.join(',') || '-');
    if (this.#format === 'plain') return [type, entry.key, ...values].join(' ');
    return [type, ...this.#wide(entry), ...values].join(' ');
  }

  #wide({ namespace, name, resourceVersion, object }: Entry): string[] {
    const { metadata, status } = object as Details;
    const created = Date.parse(metadata?.creationTimestamp ?? '');
    const age = Number.isNaN(created) ? '-' : time(Math.max(0, Date.now() - created));
    return [
      column(namespace || '-', 16),
      column(name, 40),
      column(resourceVersion, 10),
      column(age, 8),
      status?.phase ?? '-',
    ];
  }
}

function column(text: string, width: number): string {
  return text.padEnd(width);
}
