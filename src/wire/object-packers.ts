import { ObjectPacker } from './codec.js';

/** The packers of one thread. All its streams of a kind share one, so that a list's next page, or the next watch, need not learn anew. */
export class ObjectPackers {
  readonly #packers = new Map<string, ObjectPacker>();

  get(apiVersion: string, kind: string): ObjectPacker {
    const name = `${apiVersion} ${kind}`;
    let packer = this.#packers.get(name);
    if (packer === undefined) {
      packer = new ObjectPacker();
      this.#packers.set(name, packer);
    }
    return packer;
  }
}
