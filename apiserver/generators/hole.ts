/**
 * The vocabulary of what differs from object to object of one template.
 *
 * A template is written as an ordinary object whose strings contain placeholder characters of Unicode's private
 * use area; `Template` cuts its JSON text there.
 *
 *   U+E000 + n   hole n of HOLES: the same width in every object of a set
 *   U+F000 …     counters: decimal, as wide as their value
 *   U+F010       before a counter that is the whole string: a JSON number, without the quotes
 *   U+F8FF       ballast: replaced once per template to reach the wanted size
 */

/** All hold ASCII that JSON never escapes. */
export const HOLES = [
  'namespace',
  'name',
  /** The name's first part, `prefix-00012`: for pods, the deployment. */
  'app',
  /** `prefix-00012-7d9f8c6b5`: for pods, the replica set. */
  'owner',
  /** `7d9f8c6b5`: for pods, the hash of the pod template. */
  'hash',
  'uid',
  'ownerUid',
  'node',
  'nodeIp',
  'podIp',
  'created',
  'started',
  /** Moves with every mutation. */
  'changed',
  /** The same without the `Z`, to be followed by a fraction. */
  'createdSecond',
  'changedSecond',
  /** 64 hex digits. */
  'digest',
  /** The last 56 of them: with 8 of the template's own in front, different per container. */
  'digestTail',
  /** Five of them. */
  'token',
] as const;

export type HoleName = (typeof HOLES)[number];

export const COUNTERS = ['revision', 'mutation', 'turn'] as const;

/** `turn` is mutation + 1, for counters that start at one. */
export type CounterName = (typeof COUNTERS)[number];

export const BALLAST = '\uf8ff';

const FIRST_HOLE = 0xe000;
const FIRST_COUNTER = 0xf000;
const NUMBER_MARK = '\uf010';

export function hole(name: HoleName): string {
  return String.fromCharCode(FIRST_HOLE + HOLES.indexOf(name));
}

export function counterText(name: CounterName): string {
  return String.fromCharCode(FIRST_COUNTER + COUNTERS.indexOf(name));
}

export function counterNumber(name: CounterName): string {
  return NUMBER_MARK + counterText(name);
}

/** Takes the quotes off the counters that are numbers. To be called on JSON text before it is cut. */
export function unquoteNumbers(json: string): string {
  return json.replace(/"\uf010([\uf000-\uf00f])"/g, '$1');
}

/** Literal text and placeholders in turn, literals at even places. */
export function cutAtHoles(text: string): string[] {
  return text.split(/([\ue000-\ue0ff])/);
}

export function cutAtCounters(text: string): string[] {
  return text.split(/([\uf000-\uf00f])/);
}

/** The counter that a string stands for as a number; undefined for any other string. */
export function counterNumberOf(text: string): CounterName | undefined {
  return text.startsWith(NUMBER_MARK) ? counterOf(text.slice(NUMBER_MARK.length)) : undefined;
}

/** Literal text, and placeholders of holes and counters, in turn. */
export function cutAtPlaceholders(text: string): string[] {
  return text.split(/([\ue000-\ue0ff\uf000-\uf00f])/);
}

export function isCounter(placeholder: string): boolean {
  return placeholder.charCodeAt(0) >= FIRST_COUNTER;
}

export function holeOf(placeholder: string): HoleName {
  return HOLES[placeholder.charCodeAt(0) - FIRST_HOLE] as HoleName;
}

export function counterOf(placeholder: string): CounterName {
  return COUNTERS[placeholder.charCodeAt(0) - FIRST_COUNTER] as CounterName;
}
