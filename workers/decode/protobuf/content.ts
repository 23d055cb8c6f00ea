import type { ProtobufField, ProtobufMessage } from '../../../src/kube/protobuf-schema/protobuf-message.js';
import type { WireReader } from '../../../src/kube/protobuf-schema/wire-reader.js';
import type { DropTree } from './drop-tree.js';

/** A value as far as it was read: as in JSON, or in parts. */
export type Content =
  | string
  | number
  | boolean
  | null
  | Buffer
  | Parts
  | Union
  | MessageContent
  | Content[]
  | Map<string, Content>;

/** The fields of a message that is not an object in JSON, by number. */
export class Parts {
  readonly numbers: Map<number, bigint> = new Map();
  readonly strings: Map<number, Buffer[]> = new Map();
  /** False if the message had any field, even an unknown one. */
  isEmpty = true;

  addString(number: number, string: Buffer): void {
    const strings = this.strings.get(number);
    if (strings === undefined) this.strings.set(number, [string]);
    else strings.push(string);
  }
}

/** A JSON schema, or one of its short forms. */
export class Union {
  schema: MessageContent | undefined;
  schemas: MessageContent[] = [];
  strings: string[] = [];
  isAllowed = false;
}

/** What was read of one message so far: fields may be repeated, and messages are merged. */
export type MessageContent = Map<ProtobufField, Content>;

/** Implemented by `MessageReader`, for values that contain messages. */
export interface Messages {
  /** The maximum nesting of an object, as JSON. */
  readonly maxDepth: number;
  /** `drops` is skipped. */
  merge(
    message: ProtobufMessage,
    content: MessageContent,
    reader: WireReader,
    depth: number,
    drops?: DropTree,
  ): void;
  finish(message: ProtobufMessage, content: MessageContent, depth: number): Record<string, unknown>;
  checkDepth(depth: number): void;
  /** Skips an unknown field of this message. */
  skip(reader: WireReader, message: string): void;
}
