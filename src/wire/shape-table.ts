import type { Definition } from './definitions.js';

/**
 * Fields whose keys are data. Their objects are maps, whatever the keys look like, so that no table grows with them.
 */
export const MAP_FIELDS: ReadonlySet<string> = new Set([
  ...['labels', 'annotations', 'matchLabels', 'nodeSelector', 'selector', 'podSelector'],
  ...['data', 'stringData', 'binaryData', 'fieldsV1', 'parameters', 'options', 'attributes'],
  ...[
    'limits',
    'requests',
    'capacity',
    'allocatable',
    'hard',
    'used',
    'default',
    'defaultRequest',
    'min',
    'max',
  ],
  ...['properties', 'patternProperties', 'definitions', 'extra', 'values', 'config'],
]);

/**
 * The first shapes of a kind are defined at once: they are those of its Go struct. Later ones when they are seen
 * again.
 */
const IMMEDIATE_SHAPES = 64;

/** A pod has about 50 shapes. Kinds whose objects hold free-form maps would have any number. */
const MAX_SHAPES = 512;

/** Shapes that were seen once. All are dropped when there are more. */
const MAX_CANDIDATES = 512;

/** An object with more keys is a map. */
const MAX_KEYS = 64;

/** The JSON names of fields of Go structs. Keys that are data mostly have a dot, a dash or a slash. */
const FIELD_NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/;

interface Node {
  next: Map<string, Node> | undefined;
  /** −1 if no shape ends here. */
  id: number;
}

/** Lists of keys by number, in a tree by key. Append-only and bounded. */
export class ShapeTable {
  readonly #definitions: Definition[];
  readonly #root: Node = { next: undefined, id: -1 };
  readonly #candidates = new Set<string>();
  #shapes = 0;

  constructor(definitions: Definition[]) {
    this.#definitions = definitions;
  }

  /** The number of the definition with these keys in this order, or −1 if the object has to carry them. */
  id(keys: readonly string[]): number {
    let node: Node | undefined = this.#root;
    for (let i = 0; i < keys.length; i++) {
      node = node.next?.get(keys[i] as string);
      if (node === undefined) return this.#define(keys);
    }
    return node.id >= 0 ? node.id : this.#define(keys);
  }

  #define(keys: readonly string[]): number {
    if (this.#shapes >= MAX_SHAPES || keys.length === 0 || keys.length > MAX_KEYS) return -1;
    for (const key of keys) if (!FIELD_NAME.test(key)) return -1;
    if (this.#shapes >= IMMEDIATE_SHAPES && !this.#isSeenAgain(keys)) return -1;
    let node = this.#root;
    for (const key of keys) {
      node.next ??= new Map();
      let next = node.next.get(key);
      if (next === undefined) {
        next = { next: undefined, id: -1 };
        node.next.set(key, next);
      }
      node = next;
    }
    this.#shapes++;
    node.id = this.#definitions.push([...keys]) - 1;
    return node.id;
  }

  #isSeenAgain(keys: readonly string[]): boolean {
    const name = keys.join();
    if (this.#candidates.delete(name)) return true;
    if (this.#candidates.size >= MAX_CANDIDATES) this.#candidates.clear();
    this.#candidates.add(name);
    return false;
  }
}
