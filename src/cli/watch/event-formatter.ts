import type { Entry, InformerEvent, KubernetesObject } from '../../index.js';
import { formatDuration } from '../terminal/format.js';
import { paint, type Style } from '../terminal/output.js';

export type OutputFormat = 'plain' | 'name' | 'json' | 'wide';

type ChangeEvent = Exclude<InformerEvent<KubernetesObject>, { readonly type: 'synced' }>;

interface ObjectDetails extends KubernetesObject {
  readonly metadata?: KubernetesObject['metadata'] & { readonly creationTimestamp?: string };
  readonly status?: { readonly phase?: string };
}

/** The names that watch events have on the wire. */
const EVENT_TYPES: Readonly<Record<ChangeEvent['type'], { readonly name: string; readonly style: Style }>> = {
  add: { name: 'ADDED', style: 'green' },
  update: { name: 'MODIFIED', style: 'yellow' },
  delete: { name: 'DELETED', style: 'red' },
};

/** Formats events as lines. */
export class EventFormatter {
  readonly #format: OutputFormat;
  readonly #plural: string;
  readonly #indexes: readonly string[];

  /** `indexes` become columns of the formats `plain` and `wide`. */
  constructor(format: OutputFormat, plural: string, indexes: readonly string[]) {
    this.#format = format;
    this.#plural = plural;
    this.#indexes = indexes;
  }

  /** The line above the events, if the format has one. */
  get heading(): string | undefined {
    if (this.#format !== 'wide') return undefined;
    return [
      'EVENT'.padEnd(9),
      'NAMESPACE'.padEnd(16),
      'NAME'.padEnd(40),
      'VERSION'.padEnd(10),
      'AGE'.padEnd(8),
      'PHASE',
      ...this.#indexes.map((path) => path.toUpperCase()),
    ].join(' ');
  }

  line({ type, entry }: ChangeEvent): string {
    const { name, style } = EVENT_TYPES[type];
    if (this.#format === 'json') return JSON.stringify({ type: name, object: entry.object });
    if (this.#format === 'name') return `${this.#plural}/${entry.key}`;
    const columns = this.#format === 'wide' ? wideColumns(entry) : [entry.key];
    const indexValues = this.#indexes.map((path) => entry.indexValues(path)?.join(',') || '-');
    return [paint(style, name.padEnd(9)), ...columns, ...indexValues].join(' ');
  }
}

function wideColumns({ namespace, name, resourceVersion, object }: Entry): string[] {
  const { metadata, status } = object as ObjectDetails;
  const createdAtMs = Date.parse(metadata?.creationTimestamp ?? '');
  const age = Number.isNaN(createdAtMs) ? '-' : formatDuration(Math.max(0, Date.now() - createdAtMs));
  return [
    (namespace || '-').padEnd(16),
    name.padEnd(40),
    resourceVersion.padEnd(10),
    age.padEnd(8),
    status?.phase ?? '-',
  ];
}
