/**
 * The placeholders of templates: what differs between the objects of one template.
 *
 * A template is written as an ordinary object whose strings contain placeholder characters of Unicode's private
 * use area; `Template` splits its JSON there.
 *
 *   U+E000 + n   variable n of VARIABLES: the same width in every object of a set
 *   U+F000 …     counters: decimal, as wide as their value
 *   U+F010       before a counter that is the complete string: a JSON number, without the quotes
 *   U+F8FF       padding: replaced once per template to reach the requested size
 */

/** All values are ASCII that JSON never escapes. */
export const VARIABLES = [
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
  /** Changes with every mutation. */
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

export type VariableName = (typeof VARIABLES)[number];

export const COUNTERS = ['revision', 'mutation', 'turn'] as const;

/** `turn` is mutation + 1, for counters that start at one. */
export type CounterName = (typeof COUNTERS)[number];

export const PADDING = '\uf8ff';

const FIRST_VARIABLE = 0xe000;
const FIRST_COUNTER = 0xf000;
const NUMBER_MARK = '\uf010';

export function variable(name: VariableName): string {
  return String.fromCharCode(FIRST_VARIABLE + VARIABLES.indexOf(name));
}

export function counterString(name: CounterName): string {
  return String.fromCharCode(FIRST_COUNTER + COUNTERS.indexOf(name));
}

export function counterNumber(name: CounterName): string {
  return NUMBER_MARK + counterString(name);
}

/** Removes the quotes around counters that are numbers. To be called on JSON before it is split. */
export function unquoteNumbers(json: string): string {
  return json.replace(/"\uf010([\uf000-\uf00f])"/g, '$1');
}

/** Alternating literals and placeholders, literals at even indexes. */
export function splitAtVariables(template: string): string[] {
  return template.split(/([\ue000-\ue0ff])/);
}

export function splitAtCounters(template: string): string[] {
  return template.split(/([\uf000-\uf00f])/);
}

/** The counter that a string represents as a number; undefined for any other string. */
export function counterNumberOf(template: string): CounterName | undefined {
  return template.startsWith(NUMBER_MARK) ? counterOf(template.slice(NUMBER_MARK.length)) : undefined;
}

/** Alternating literals and placeholders (variables and counters). */
export function splitAtPlaceholders(template: string): string[] {
  return template.split(/([\ue000-\ue0ff\uf000-\uf00f])/);
}

export function isCounter(placeholder: string): boolean {
  return placeholder.charCodeAt(0) >= FIRST_COUNTER;
}

export function variableOf(placeholder: string): VariableName {
  return VARIABLES[placeholder.charCodeAt(0) - FIRST_VARIABLE] as VariableName;
}

export function counterOf(placeholder: string): CounterName {
  return COUNTERS[placeholder.charCodeAt(0) - FIRST_COUNTER] as CounterName;
}
