import { CelError, type CelExpression, parseCelExpression } from './cel-expression.js';
import type { HashRange } from './hash-range.js';
import type { ShardField, ShardSelector } from './shard-selector.js';

/** The API server refuses the selector. The message is the API server's, except for expressions that are no CEL. */
export class ShardSelectorError extends Error {}

interface Term extends HashRange {
  readonly field: ShardField;
}

const END_OF_SPACE = '0x10000000000000000';
const DIGITS = 16;

/** Parses `shardSelector` as the API server does. Throws a `ShardSelectorError`. */
export function parseShardSelector(text: string): ShardSelector {
  const expression = text.trim();
  if (expression === '') {
    throw new ShardSelectorError(
      'empty shard selector is not allowed; omit the parameter for unfiltered lists',
    );
  }
  const terms = termsOf(parse(expression));
  const field = terms[0]?.field ?? 'object.metadata.uid';
  for (const term of terms) {
    if (term.field === field) continue;
    const message = `all shard ranges must use the same field, got "${field}" and "${term.field}"`;
    throw new ShardSelectorError(message);
  }
  return { field, ranges: terms.map(({ start, end }) => ({ start, end })) };
}

function parse(text: string): CelExpression {
  try {
    return parseCelExpression(text);
  } catch (error) {
    if (error instanceof CelError) throw new ShardSelectorError(`CEL parse error: ${error.message}`);
    throw error;
  }
}

function termsOf(expression: CelExpression): Term[] {
  if (expression.kind === 'or') return expression.operands.flatMap(termsOf);
  if (expression.kind !== 'call') {
    throw new ShardSelectorError(
      `unexpected expression kind ${kindNumber(expression)}; expected shardRange() call or || operator`,
    );
  }
  if (expression.name === 'shardRange') return [termOf(expression.parameters)];
  const message = `unsupported function ${JSON.stringify(expression.name)}; only shardRange() and || are allowed`;
  throw new ShardSelectorError(message);
}

/** As cel-go numbers the kinds of expressions. */
function kindNumber(expression: CelExpression): number {
  if (expression.kind === 'string') return 5;
  if (expression.kind !== 'name') return 1;
  return expression.path.includes('.', 1) ? 7 : 3;
}

function termOf(parameters: readonly CelExpression[]): Term {
  const [path, first, last] = parameters;
  if (parameters.length !== 3 || path === undefined || first === undefined || last === undefined) {
    throw new ShardSelectorError(`shardRange() requires exactly 3 arguments, got ${parameters.length}`);
  }
  const field = fieldOf(path);
  const [startText, endText] = [hexOf(first, 'hexStart'), hexOf(last, 'hexEnd')];
  const [start, end] = [BigInt(startText), BigInt(endText)];
  if (start >= end) {
    throw new ShardSelectorError(`shard range start ${startText} must be less than end ${endText}`);
  }
  return { field, start, end };
}

function fieldOf(expression: CelExpression): ShardField {
  if (expression.kind !== 'name') {
    throw new ShardSelectorError(
      `shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${kindNumber(expression)}`,
    );
  }
  const { path } = expression;
  if (path === 'object.metadata.uid' || path === 'object.metadata.namespace') return path;
  throw new ShardSelectorError(
    `unsupported field path "${path}"; supported: object.metadata.uid, object.metadata.namespace`,
  );
}

function hexOf(expression: CelExpression, name: string): string {
  if (expression.kind !== 'string') {
    throw new ShardSelectorError(
      `${name} must be a string literal (e.g. '0xff'), got expression kind ${kindNumber(expression)}`,
    );
  }
  const { value } = expression;
  const quoted = JSON.stringify(value);
  if (!value.startsWith('0x')) throw new ShardSelectorError(`${name} must have '0x' prefix, got ${quoted}`);
  const hex = value.slice(2);
  if (hex === '') throw new ShardSelectorError(`${name}: hex value is required after '0x'`);
  if (Buffer.byteLength(hex) > DIGITS + 1) {
    const length = Buffer.byteLength(hex);
    const message = `${name}: hex value too long (${length} chars, max 17): ${JSON.stringify(hex)}`;
    throw new ShardSelectorError(message);
  }
  for (const character of hex) {
    if (/[0-9a-f]/.test(character)) continue;
    throw new ShardSelectorError(`${name}: invalid hex character ${JSON.stringify(character)} in ${quoted}`);
  }
  if (hex.length === DIGITS || value === END_OF_SPACE) return value;
  if (hex.length > DIGITS) {
    const message = `${name}: 17-digit hex value must be '${END_OF_SPACE}' (2^64), got ${quoted}`;
    throw new ShardSelectorError(message);
  }
  throw new ShardSelectorError(
    `${name} must be a 0x-prefixed 16-digit hex value, got ${quoted} (did you mean "0x${hex.padStart(DIGITS, '0')}"?)`,
  );
}
