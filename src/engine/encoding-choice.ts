import { isProtobufResource } from '../kube/protobuf-schema/protobuf-kind.js';
import type { Resource } from '../kube/resource.js';
import { ApiStatusError } from '../kube/status.js';
import type { DecoderName, Encoding } from '../wire/stream-task.js';

/**
 * The encoding of objects on the wire. `protobuf`: a third of the work for the API server, and the smallest; built-in
 * kinds only. `auto`: protobuf for kinds that have it, JSON for others and for servers without protobuf. JSON, too, from
 * the first field on that a newer server sends and the protobuf schema of this package lacks: no field is lost.
 */
export type EncodingMode = 'auto' | Encoding;

/** The options of an informer that decide its encoding. */
export interface EncodingOptions extends Resource {
  readonly encoding: EncodingMode;
  readonly decoder: DecoderName;
  readonly metadataOnly: boolean;
  readonly hooks: string | undefined;
  /** Other modes than these two make no difference. */
  readonly list: unknown;
}

/**
 * The encoding of the API server's last response, per resource, and the resources with fields that the schema lacks.
 * One per engine.
 */
export class ServerEncodings {
  readonly #responses = new Map<string, Encoding>();
  readonly #withUnknownFields = new Set<string>();

  get(options: EncodingOptions): Encoding | undefined {
    return this.#responses.get(idOf(options));
  }

  set(options: EncodingOptions, encoding: Encoding): void {
    this.#responses.set(idOf(options), encoding);
  }

  hasUnknownFields(options: EncodingOptions): boolean {
    return this.#withUnknownFields.has(`${idOf(options)} ${options.encoding}`);
  }

  noteUnknownField(options: EncodingOptions): void {
    this.#withUnknownFields.add(`${idOf(options)} ${options.encoding}`);
  }
}

/** Protobuf or JSON, for the lists and watches of one informer; and whether they may be streaming lists. */
export class EncodingChoice {
  readonly #options: EncodingOptions;
  readonly #server: ServerEncodings;

  constructor(options: EncodingOptions, server: ServerEncodings) {
    this.#options = options;
    this.#server = server;
  }

  /**
   * What to accept, in order of preference. Protobuf is not requested again from a server that answered in JSON, or that
   * sent a field that the schema lacks.
   */
  get accepted(): readonly Encoding[] {
    const { encoding } = this.#options;
    if (encoding !== 'auto') return [encoding];
    const mayBeProtobuf =
      supportsProtobuf(this.#options) &&
      this.#server.get(this.#options) !== 'json' &&
      !this.#server.hasUnknownFields(this.#options);
    return mayBeProtobuf ? ['protobuf', 'json'] : ['json'];
  }

  /** The server has responded in this encoding. */
  note(encoding: Encoding): void {
    this.#server.set(this.#options, encoding);
  }

  /** What a worker is to do about a field that the schema lacks. */
  get onUnknownField(): 'fail' | 'count' {
    return this.#options.encoding === 'auto' ? 'fail' : 'count';
  }

  /** The server has sent a field that the schema lacks. False if this is known already. */
  noteUnknownField(): boolean {
    if (this.#server.hasUnknownFields(this.#options)) return false;
    this.#server.noteUnknownField(this.#options);
    return true;
  }

  /** Whether the collection is first requested as a streaming list. */
  get prefersStreamingList(): boolean {
    const { list } = this.#options;
    return list === 'stream' || (list === 'auto' && this.accepted.includes('protobuf'));
  }

  /** A streaming list in JSON costs the server twice what its pages do, so it must be asked for by `list: 'stream'`. */
  allowsStreamingList(encodings: readonly Encoding[] = this.accepted): boolean {
    return this.#options.list === 'stream' || encodings.includes('protobuf');
  }
}

/** Whether `encoding: 'protobuf'` is possible. Metadata has the same protobuf message for every kind. */
export function hasProtobufSchema(options: Resource & { readonly metadataOnly: boolean }): boolean {
  return options.metadataOnly || isProtobufResource(options);
}

/**
 * What a server without streaming lists responds; the reflector then lists in pages, and tries no stream for a while.
 */
export function streamingListNotAllowed(
  message = 'the server has no protobuf for this collection, and JSON is listed in pages',
): ApiStatusError {
  return new ApiStatusError({ kind: 'Status', status: 'Failure', reason: 'Invalid', code: 422, message });
}

/** Hooks receive objects, which `JSON.parse` makes faster; and a user who sets the JSON decoder wants it to be used. */
function supportsProtobuf(options: EncodingOptions): boolean {
  return options.decoder !== 'json' && options.hooks === undefined && hasProtobufSchema(options);
}

function idOf({ apiVersion, plural, metadataOnly }: EncodingOptions): string {
  return `${apiVersion} ${plural}${metadataOnly ? ' metadata' : ''}`;
}
