import { isProtobufResource } from '../kube/protobuf-schema/protobuf-kind.js';
import type { Resource } from '../kube/resource.js';
import type { DecoderName, Encoding } from '../wire/stream-task.js';

/**
 * What objects are written in on the wire. `protobuf`: a third of the work for the API server, and the smallest; built-in kinds only. `auto`:
 * protobuf for kinds that have it, JSON for others and where the server has nothing else.
 */
export type EncodingMode = 'auto' | Encoding;

/** What decides for one informer. */
export interface EncodingChoice extends Resource {
  readonly encoding: EncodingMode;
  readonly decoder: DecoderName;
  readonly metadataOnly: boolean;
  readonly hooks: string | undefined;
}

/** What the API server has answered in, per resource: what it does not have is not asked for twice. */
export class Encodings {
  readonly #answers = new Map<string, Encoding>();

  /** What to ask for, best first. */
  wanted(choice: EncodingChoice): readonly Encoding[] {
    const { encoding } = choice;
    if (encoding !== 'auto') return [encoding];
    return this.#answers.get(idOf(choice)) !== 'json' && hasProtobuf(choice)
      ? ['protobuf', 'json']
      : ['json'];
  }

  /** The server has answered in this. */
  note(choice: EncodingChoice, answer: Encoding): void {
    this.#answers.set(idOf(choice), answer);
  }
}

/** Hooks are given objects, which JSON.parse makes sooner; who asks for that decoder wants it used. */
function hasProtobuf(choice: EncodingChoice): boolean {
  if (choice.decoder === 'json' || choice.hooks !== undefined) return false;
  // Metadata has the same message for every kind.
  return choice.metadataOnly || isProtobufResource(choice);
}

function idOf({ apiVersion, plural, metadataOnly }: EncodingChoice): string {
  return `${apiVersion} ${plural}${metadataOnly ? ' metadata' : ''}`;
}
