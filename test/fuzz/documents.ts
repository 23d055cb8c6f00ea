import fc from 'fast-check';
import { SeededRandom } from '../support/time/seeded-random.js';

type Json = null | boolean | number | string | readonly Json[] | Pairs;
/** The entries of an object, in which a key may occur twice. */
interface Pairs {
  readonly pairs: readonly (readonly [string, Json])[];
}

/** Keys that headers are read from. If one occurs twice, or has an unusual value, the reference decoder takes over. */
const HEADER_NAMES = [
  ...['name', 'namespace', 'uid', 'resourceVersion', 'kind', 'apiVersion', 'metadata'],
  ...['ownerReferences', 'controller'],
];

/** Keys with a special meaning in JavaScript or Kubernetes. */
const NAMES = [
  ...[
    'spec',
    'status',
    'labels',
    'annotations',
    'data',
    'managedFields',
    'list',
    'dropped',
    'nodeName',
    'app',
  ],
  ...[
    'phase',
    'items',
    '__proto__',
    'constructor',
    'toJSON',
    'hasOwnProperty',
    '',
    '0',
    '17',
    'a.b/c',
    'ünï',
  ],
  ...[
    'terminationMessagePath',
    'a'.repeat(15),
    'b'.repeat(16),
    'c'.repeat(31),
    'd'.repeat(32),
    'e'.repeat(64),
  ],
  'x'.repeat(70),
];

function object(): fc.Arbitrary<Json> {
  const { value } = fc.letrec<{ value: Json; pairs: Pairs; array: readonly Json[] }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      anyString(),
      fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger()),
      fc.constantFrom(null, true, false, -0, 0, 1e21, 2 ** 53, -(2 ** 31), 2 ** 32, 0.1, 5e-324),
      tie('pairs'),
      tie('array'),
    ),
    pairs: fc.array(fc.tuple(key(), tie('value')), { maxLength: 8 }).map((pairs) => ({ pairs })),
    array: fc.array(tie('value'), { maxLength: 20 }),
  }));
  const metadata = fc
    .tuple(
      header('name'),
      header('resourceVersion'),
      header('namespace'),
      header('uid'),
      ownerReferences(value),
      fc.array(fc.tuple(key(), value), { maxLength: 4 }),
    )
    .map(([name, version, namespace, uid, owners, others]) => ({
      pairs: [...name, ...version, ...namespace, ...uid, ...owners, ...others],
    }));
  return fc
    .tuple(
      fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom(typed('kind', 'apiVersion'), typed('apiVersion', 'kind')) },
        {
          weight: 2,
          arbitrary: fc.constantFrom([], typed('kind'), [...typed('apiVersion'), ['kind', 'Node'] as const]),
        },
      ),
      fc.oneof({ weight: 30, arbitrary: metadata }, { weight: 1, arbitrary: value }),
      fc.array(fc.tuple(key(), value), { maxLength: 6 }),
    )
    .map(([type, metadata, others]) => ({
      pairs: [...type, ['metadata', metadata] as const, ...others],
    }));
}

function typed(...names: readonly ('kind' | 'apiVersion')[]): readonly (readonly [string, Json])[] {
  return names.map((name) => [name, name === 'kind' ? 'Pod' : 'v1']);
}

function header(name: string): fc.Arbitrary<readonly (readonly [string, Json])[]> {
  return fc.oneof(
    { weight: 40, arbitrary: fc.stringMatching(/^[a-z0-9]{1,12}$/).map((value) => [[name, value]] as const) },
    { weight: 1, arbitrary: anyString().map((value) => [[name, value]] as const) },
    { weight: 1, arbitrary: fc.constantFrom([] as const, [[name, null]] as const, [[name, 7]] as const) },
  );
}

/** Mostly owners as the API server sends them, in any order of fields, some of which are the controller. */
function ownerReferences(value: fc.Arbitrary<Json>): fc.Arbitrary<readonly (readonly [string, Json])[]> {
  const field = (name: string, ...values: readonly Json[]): fc.Arbitrary<readonly [string, Json]> =>
    fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(...values).map((item) => [name, item] as const) },
      { weight: 1, arbitrary: value.map((item) => [name, item] as const) },
    );
  const reference = fc
    .tuple(field('uid', 'u-1', 'u-2'), field('controller', true, false), field('kind', 'Shop'))
    .chain((fields) => fc.shuffledSubarray(fields, { minLength: 1 }))
    .map((pairs) => ({ pairs }));
  const references = fc.array(reference, { maxLength: 4 });
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: references.map((list) => [['ownerReferences', list]] as const) },
    { weight: 1, arbitrary: reference.map((one) => [['ownerReferences', [[one], one]]] as const) },
    { weight: 1, arbitrary: reference.map((one) => [['ownerReferences', one]] as const) },
  );
}

function key(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...NAMES) },
    { weight: 9, arbitrary: anyString() },
    { weight: 1, arbitrary: fc.constantFrom(...HEADER_NAMES) },
  );
}

function anyString(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
      .map((units) => String.fromCharCode(...units)),
    fc.constantFrom(
      'Running',
      'True',
      'ClusterFirst',
      '/var/run/secrets/kubernetes.io/serviceaccount',
      'x'.repeat(300),
    ),
  );
}

/** Writes JSON with white space, escapes and number formats chosen by a seed. */
class JsonWriter {
  readonly #random: SeededRandom;
  readonly #spaces: readonly string[];
  readonly #escapedKeys: number;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    this.#escapedKeys = this.#random.chance(1 / 8) ? 1 / 4 : 0;
    this.#spaces = this.#random.chance(1 / 3) ? ['', ' ', '\n  ', '\t', '\r\n', ' '.repeat(40)] : [''];
  }

  document(value: Json): string {
    return this.#space() + this.#value(value) + this.#space();
  }

  #value(value: Json): string {
    if (typeof value === 'string') return this.#string(value);
    if (typeof value === 'number') return this.#number(value);
    if (value === null || typeof value === 'boolean') return String(value);
    const space = this.#space();
    if ('pairs' in value) {
      const fields = value.pairs.map(
        ([key, item]) =>
          `${this.#string(key, this.#escapedKeys)}${this.#space()}:${this.#space()}${this.#value(item)}`,
      );
      return `{${space}${fields.join(`${this.#space()},${this.#space()}`)}${space}}`;
    }
    const items = value.map((item) => this.#value(item));
    return `[${space}${items.join(`${this.#space()},${this.#space()}`)}${space}]`;
  }

  #string(value: string, escaped = 1 / 4): string {
    if (!this.#random.chance(escaped)) return JSON.stringify(value);
    let written = '"';
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      const hex = code.toString(16).padStart(4, '0');
      if (this.#random.chance(1 / 3)) written += `\\u${this.#random.pick([hex, hex.toUpperCase()])}`;
      else if (code === 0x2f && this.#random.chance(1 / 2)) written += '\\/';
      else written += JSON.stringify(value[i]).slice(1, -1);
    }
    return `${written}"`;
  }

  #number(number: number): string {
    if (Object.is(number, -0)) return '-0';
    const digits = JSON.stringify(number);
    switch (this.#random.between(0, 5)) {
      case 0:
        return /[.e]/.test(digits) ? digits : `${digits}.0`;
      case 1:
        return digits.includes('e') ? digits : `${digits}e0`;
      case 2:
        return digits.includes('e') ? digits : `${digits}E+0`;
      case 3:
        return number.toExponential();
      default:
        return digits;
    }
  }

  #space(): string {
    return this.#random.pick(this.#spaces);
  }
}

/** Any object with the outer form of a Kubernetes object, in one of the many ways to write it as JSON. */
export const documents: fc.Arbitrary<string> = fc
  .record({ object: object(), seed: fc.integer() })
  .map(({ object, seed }) => new JsonWriter(seed).document(object));
