import type { ProtobufField, ProtobufMessage } from '../../../src/kube/protobuf-schema/protobuf-message.js';
import type { DropTree } from './drop-tree.js';
import type { WireReader } from './wire-reader.js';

/** A value as far as it was read: what JSON shows, or the parts of it. */
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

/** Of a message of numbers and texts that is no object in JSON, by field number. */
export class Parts {
  readonly numbers: Map<number, bigint> = new Map();
  readonly texts: Map<number, WireReader[]> = new Map();
  /** Something was there, if only a field of no value. */
  isEmpty = true;

  addText(number: number, text: WireReader): void {
    const texts = this.texts.get(number);
    if (texts === undefined) this.texts.set(number, [text]);
    else texts.push(text);
  }
}

/** A schema, or what may stand in its place. */
export class Union {
  schema: MessageContent | undefined;
  schemas: MessageContent[] = [];
  texts: string[] = [];
  isAllowed = false;
}

/** What was read of one message so far: fields may come back, and messages go on. */
export type MessageContent = Map<ProtobufField, Content>;

/** What values need that have messages in them: `MessageReader`. */
export interface Messages {
  /** How deep an object may be nested, as JSON. */
  readonly maxDepth: number;
  /** `drops` is not wanted of the message. */
  merge(
    message: ProtobufMessage,
    content: MessageContent,
    reader: WireReader,
    depth: number,
    drops?: DropTree,
  ): void;
  finish(message: ProtobufMessage, content: MessageContent, depth: number): Record<string, unknown>;
  checkDepth(depth: number): void;
  /** Passes over a field that no schema knows. */
  skip(reader: WireReader, wireType: number): void;
}
