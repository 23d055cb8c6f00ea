/**
 * Field selectors, parsed as k8s.io/apimachinery/pkg/fields (Apache-2.0) does, for the selectable fields of each
 * kind.
 */

import type { Resource } from '../resources/resource.js';
import { quote } from '../status-error.js';

export interface FieldSelector {
  /** True if it selects everything. */
  readonly isEmpty: boolean;
  /** The only name that can match. */
  readonly requiredName?: string;
  /** The only namespace that can match. */
  readonly requiredNamespace?: string;
  /** `field` returns the value at a path of the object, '' if there is none. */
  matches(field: (path: string) => string): boolean;
}

interface Term {
  readonly path: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

type SelectableResource = Pick<Resource, 'kind' | 'isCustom' | 'isNamespaced' | 'selectableFields'>;

/** Throws an Error with kube-apiserver's message. */
export function parseFieldSelector(selector: string, resource: SelectableResource): FieldSelector {
  const parsed = splitTerms(selector)
    .sort()
    .filter((term) => term !== '')
    .map((term) => parseTerm(term, selector));
  // All terms are parsed before the first field is looked up: a syntax error takes precedence over an unknown
  // field.
  const terms = parsed.map(({ path, ...term }): Term => ({ path: pathOf(path, resource), ...term }));
  const requiredName = requiredValue(terms, 'metadata.name');
  const requiredNamespace = requiredValue(terms, 'metadata.namespace');
  return {
    isEmpty: terms.length === 0,
    ...(requiredName === undefined ? {} : { requiredName }),
    ...(requiredNamespace === undefined ? {} : { requiredNamespace }),
    matches: (field) =>
      terms.every(({ path, operator, value }) => (field(path) === value) === (operator === '=')),
  };
}

function requiredValue(terms: readonly Term[], path: string): string | undefined {
  return terms.find((term) => term.path === path && term.operator === '=')?.value;
}

function pathOf(label: string, resource: SelectableResource): string {
  if (Object.hasOwn(resource.selectableFields, label)) return resource.selectableFields[label] ?? label;
  if (label === 'metadata.name') return label;
  if (label === 'metadata.namespace' && (resource.isNamespaced || hasOnlyMetadata(resource))) return label;
  throw new Error(unsupported(label, resource));
}

function unsupported(label: string, resource: SelectableResource): string {
  if (hasOnlyMetadata(resource)) {
    return `${quote(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
  }
  if (resource.kind === 'Job' && !resource.isCustom)
    return `field label ${quote(label)} not supported for Job`;
  return `field label not supported: ${label}`;
}

/** A built-in kind without selectable fields of its own has the default's messages and leniency. */
function hasOnlyMetadata(resource: SelectableResource): boolean {
  return !resource.isCustom && Object.keys(resource.selectableFields).length === 0;
}

/** A backslash escapes the next character, also a comma. */
function splitTerms(selector: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < selector.length; at++) {
    if (selector[at] === '\\') at++;
    else if (selector[at] === ',') {
      terms.push(selector.slice(start, at));
      start = at + 1;
    }
  }
  return [...terms, selector.slice(start)];
}

function parseTerm(term: string, selector: string): Term {
  const match = /!=|==|=/.exec(term);
  if (match === null) throw new Error(`invalid selector: '${selector}'; can't understand '${term}'`);
  return {
    path: term.slice(0, match.index),
    operator: match[0] === '!=' ? '!=' : '=',
    value: unescaped(term.slice(match.index + match[0].length)),
  };
}

function unescaped(value: string): string {
  return value.replace(/\\(.?)|[,=]/gsu, (match, escapedCharacter: string | undefined) => {
    if (escapedCharacter === undefined) {
      // A rune printed with %v is its number.
      throw new Error(`invalid field selector: unescaped character in value: ${match.codePointAt(0)}`);
    }
    if (!['\\', ',', '='].includes(escapedCharacter)) {
      throw new Error(`invalid field selector: invalid escape sequence: ${match}`);
    }
    return escapedCharacter;
  });
}
