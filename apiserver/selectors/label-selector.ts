/**
 * Label selectors, with the grammar and error messages of k8s.io/apimachinery/pkg/labels (Apache-2.0), whose
 * parser this follows.
 */

import { itemsAt, type Json, objectAt } from '../defaults/json-fields.js';
import { labelKeyProblems, labelValueProblems } from '../formats/name-formats.js';
import { quote } from '../status-error.js';

export interface LabelSelector {
  /** True if it selects everything. */
  readonly isEmpty: boolean;
  matches(labels: Readonly<Record<string, string>>): boolean;
}

type BinaryOperator = 'in' | 'notin' | '=' | '==' | '!=' | '>' | '<';

interface Requirement {
  readonly key: string;
  readonly operator: BinaryOperator | 'exists' | '!';
  readonly values: readonly string[];
}

interface Token {
  readonly type: 'identifier' | 'end' | BinaryOperator | '!' | ',' | '(' | ')';
  readonly literal: string;
}

const SPECIAL_SYMBOLS = '=!(),><';
const WHITESPACE = ' \t\r\n';
const BINARY_OPERATORS: ReadonlySet<string> = new Set(['in', 'notin', '=', '==', '!=', '>', '<']);

/** Throws an Error with kube-apiserver's message. */
export function parseLabelSelector(selector: string): LabelSelector {
  const requirements = new LabelSelectorParser(scan(selector)).parse();
  return {
    isEmpty: requirements.length === 0,
    matches: (labels) => requirements.every((requirement) => fulfils(requirement, labels)),
  };
}

/** A LabelSelector object as a string; empty when it has no terms. */
export function formatSelector(selector: Json): string {
  const labels = Object.entries(objectAt(selector, 'matchLabels')).map(
    ([key, value]) => [key, `${key}=${value}`] as const,
  );
  const expressions = itemsAt(selector, 'matchExpressions').map((expression) => {
    const key = String(expression['key']);
    const values = Array.isArray(expression['values']) ? [...expression['values']].sort().join(',') : '';
    switch (expression['operator']) {
      case 'In':
        return [key, `${key} in (${values})`] as const;
      case 'NotIn':
        return [key, `${key} notin (${values})`] as const;
      case 'DoesNotExist':
        return [key, `!${key}`] as const;
      default:
        return [key, key] as const;
    }
  });
  const terms = [...labels, ...expressions].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return terms.map(([, term]) => term).join(',');
}

function fulfils({ key, operator, values }: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value);
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value);
    case '>':
    case '<': {
      const left = value === undefined ? undefined : parseInt64(value);
      const right = parseInt64(values[0] ?? '');
      if (left === undefined || right === undefined) return false;
      return operator === '>' ? left > right : left < right;
    }
  }
}

function scan(selector: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    while (at < selector.length && WHITESPACE.includes(selector.charAt(at))) at++;
    if (at >= selector.length) {
      tokens.push({ type: 'end', literal: '' });
      return tokens;
    }
    const token = SPECIAL_SYMBOLS.includes(selector.charAt(at))
      ? symbolAt(selector, at)
      : wordAt(selector, at);
    tokens.push(token);
    at += token.literal.length;
  }
}

function symbolAt(selector: string, at: number): Token {
  const pair = selector.slice(at, at + 2);
  const literal = pair === '==' || pair === '!=' ? pair : selector.charAt(at);
  return { type: literal as Token['type'], literal };
}

function wordAt(selector: string, at: number): Token {
  let end = at;
  while (end < selector.length && !(SPECIAL_SYMBOLS + WHITESPACE).includes(selector.charAt(end))) end++;
  const literal = selector.slice(at, end);
  return { type: literal === 'in' || literal === 'notin' ? literal : 'identifier', literal };
}

class LabelSelectorParser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const first = this.#peek();
      if (first.type === 'end') return requirements;
      if (first.type !== 'identifier' && first.type !== '!') {
        throw new Error(`found '${first.literal}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const separator = this.#take();
      if (separator.type === 'end') return requirements;
      if (separator.type !== ',') {
        throw new Error(`found '${separator.literal}', expected: ',' or 'end of string'`);
      }
      const next = this.#peek();
      if (next.type !== 'identifier' && next.type !== '!') {
        throw new Error(`found '${next.literal}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): Requirement {
    const isNegated = this.#peek().type === '!';
    if (isNegated) this.#take();
    const key = this.#take();
    if (key.type !== 'identifier') throw unparsable(`found '${key.literal}', expected: identifier`);
    const problems = labelKeyProblems(key.literal);
    // "<nil>" is how Go prints the missing path of this error.
    if (problems.length > 0) throw unparsable(invalidValue('<nil>', key.literal, problems.join('; ')));
    if (isNegated) return { key: key.literal, operator: '!', values: [] };
    const next = this.#peek().type;
    if (next === 'end' || next === ',') return { key: key.literal, operator: 'exists', values: [] };

    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#valueSet() : this.#exactValue();
    checkValues(key.literal, operator, values);
    return { key: key.literal, operator, values };
  }

  #operator(): BinaryOperator {
    const token = this.#tokens[this.#at++];
    if (token === undefined || !BINARY_OPERATORS.has(token.type)) {
      throw unparsable(`found '${token?.literal ?? ''}', expected: in, notin, =, ==, !=, gt, lt`);
    }
    return token.type as BinaryOperator;
  }

  #valueSet(): string[] {
    const open = this.#take();
    if (open.type !== '(') throw unparsable(`found '${open.literal}' expected: '('`);
    const first = this.#peek();
    if (first.type === ')') {
      this.#take();
      return [''];
    }
    if (first.type !== 'identifier' && first.type !== ',') {
      throw unparsable(`found '${first.literal}', expected: ',', ')' or identifier`);
    }
    const values = this.#values();
    this.#take();
    return [...values].sort();
  }

  /** Ends before the closing parenthesis. Between two commas, or a comma and a parenthesis, is the empty value. */
  #values(): ReadonlySet<string> {
    const values = new Set<string>();
    for (;;) {
      const token = this.#take();
      const next = this.#peek();
      if (token.type === 'identifier') {
        values.add(token.literal);
        if (next.type === ')') return values;
        if (next.type !== ',') throw unparsable(`found '${next.literal}', expected: ',' or ')'`);
      } else if (token.type === ',') {
        if (values.size === 0 || next.type === ')' || next.type === ',') values.add('');
        if (next.type === ')') return values;
      } else {
        throw unparsable(`found '${token.literal}', expected: ',', or identifier`);
      }
    }
  }

  #exactValue(): string[] {
    const next = this.#peek();
    if (next.type === 'end' || next.type === ',') return [''];
    const token = this.#take();
    if (token.type !== 'identifier') throw unparsable(`found '${token.literal}', expected: identifier`);
    return [token.literal];
  }

  /** As a key or a value, `in` and `notin` are plain words. */
  #peek(): Token {
    const token = this.#tokens[this.#at] ?? { type: 'end', literal: '' };
    const isKeyword = token.type === 'in' || token.type === 'notin';
    return isKeyword ? { type: 'identifier', literal: token.literal } : token;
  }

  #take(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }
}

function checkValues(key: string, operator: BinaryOperator, values: readonly string[]): void {
  const errors: string[] = [];
  if (operator === '>' || operator === '<') {
    for (const [index, value] of values.entries()) {
      if (parseInt64(value) !== undefined) continue;
      const message = "for 'Gt', 'Lt' operators, the value must be an integer";
      errors.push(invalidValue(`values[${index}]`, value, message));
    }
  }
  for (const [index, value] of values.entries()) {
    const problems = labelValueProblems(value);
    if (problems.length > 0)
      errors.push(invalidValue(`values[${index}][${key}]`, value, problems.join('; ')));
  }
  if (errors.length === 1) throw unparsable(errors[0] ?? '');
  if (errors.length > 1) throw unparsable(`[${errors.join(', ')}]`);
}

function invalidValue(path: string, value: string, problem: string): string {
  return `${path}: Invalid value: ${quote(value)}: ${problem}`;
}

function unparsable(why: string): Error {
  return new Error(`unable to parse requirement: ${why}`);
}

function parseInt64(digits: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(digits)) return undefined;
  const value = BigInt(digits.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
