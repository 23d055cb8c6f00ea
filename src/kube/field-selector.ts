import { parsePath, valuesAtPath } from './path.js';

/** Tells whether an object is selected. */
export type FieldMatcher = (object: object) => boolean;

/** Field labels that are not the path of the field, of the kinds that have such. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['status.successful', 'status.succeeded'],
  ['source', 'source.component'],
]);

/** How an API server prints a field that is absent: by its type, which is not known here. */
const ABSENT: ReadonlySet<string> = new Set(['', 'false', '0']);

const TERM = /^((?:[^=!\\]|\\.)+?)(==?|!=)((?:[^=\\]|\\.)*)$/;

/**
 * Evaluates a field selector as an API server does, which has accepted it: `spec.nodeName=node-17,status.phase!=Running`.
 * Undefined for text that is not a selector.
 */
export function fieldMatcher(selector: string): FieldMatcher | undefined {
  const terms = selector.match(/(?:[^,\\]|\\.)+/g) ?? [];
  const matchers: FieldMatcher[] = [];
  for (const term of terms) {
    const [, label = '', operator, value = ''] = TERM.exec(term) ?? [];
    if (operator === undefined) return undefined;
    const fields = parsePath(RENAMED.get(label) ?? label);
    const expected = value.replace(/\\(.)/g, '$1');
    matchers.push((object) => isEqual(valuesAtPath(object, fields), expected) === (operator !== '!='));
  }
  return (object) => matchers.every((matches) => matches(object));
}

function isEqual(values: readonly string[], expected: string): boolean {
  const [value] = values;
  return value === undefined ? ABSENT.has(expected) : value === expected;
}
