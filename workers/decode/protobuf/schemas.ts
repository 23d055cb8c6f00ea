import { protobufMessageOfKind } from '../../../src/kube/protobuf-schema/protobuf-kind.js';
import type { SchemaAddress, Transcoder } from '../transcoder.js';
import { SchemaImage } from './schema-image.js';

/** The schemas that the module has been given, one per kind: the keys of a kind's table are noted in its schema. */
export class SchemaImages {
  readonly #transcoder: Transcoder;
  readonly #addresses = new Map<string, SchemaAddress>();

  constructor(transcoder: Transcoder) {
    this.#transcoder = transcoder;
  }

  /** Undefined for a kind without a message. */
  of(apiVersion: string, kind: string): SchemaAddress | undefined {
    const message = protobufMessageOfKind(apiVersion, kind);
    return message === undefined ? undefined : this.#load(`${apiVersion} ${kind}`, message);
  }

  /** For a kind of which only metadata is wanted, whatever it is. */
  ofMetadata(apiVersion: string, kind: string): SchemaAddress {
    return this.#load(`${apiVersion} ${kind} metadata`, 'meta.v1.PartialObjectMetadata');
  }

  #load(id: string, message: string): SchemaAddress {
    const known = this.#addresses.get(id);
    if (known !== undefined) return known;
    const image = new SchemaImage(message);
    const address = this.#transcoder.exports.reserveSchema(image.byteLength);
    image.write(this.#transcoder.memory, address);
    this.#addresses.set(id, address);
    return address;
  }
}
