/** Options that cases share, and how they are read. */
import { parseArgs } from 'node:util';

export const COMMON = {
  rounds: { type: 'string', default: '3' },
  'warm-up': { type: 'string', default: '1' },
  json: { type: 'string' },
  html: { type: 'string' },
  docs: { type: 'boolean', default: false },
};

/** Numbers have one as their default, or none because the engine has it. */
const HAVE_NO_DEFAULT = new Set(['workers', 'page-size']);
const NUMBERS = /^\d+(,\d+)*$/;
/** May be left out altogether. */
const MAY_BE_NOUGHT = new Set(['workers', 'warm-up', 'changes', 'changed']);

/** The values by name. Where one is unknown, or not a number and should be, the process ends before anything is run. */
export function optionsOf(args, options, help) {
  try {
    return parseOptions(args, options);
  } catch ({ message }) {
    console.error(`${message}\n\n${help}`);
    return process.exit(2);
  }
}

function parseOptions(args, options) {
  const { values } = parseArgs({ args, options });
  for (const [name, value] of Object.entries(values)) {
    const isList = NUMBERS.test(options[name].default ?? '') || HAVE_NO_DEFAULT.has(name);
    if (!isList) continue;
    const numbers = NUMBERS.test(value) ? value.split(',').map(Number) : [Number.NaN];
    const least = MAY_BE_NOUGHT.has(name) ? 0 : 1;
    if (!numbers.every((number) => number >= least))
      throw new TypeError(`--${name} takes a whole number from ${least}, not ${JSON.stringify(value)}`);
  }
  return values;
}

/** Those that were given, as a task names them: `page-size` becomes `pageSize`, and numbers numbers. */
export function readOptions(values, names) {
  const given = names.filter((name) => values[name] !== undefined);
  return Object.fromEntries(
    given.map((name) => [
      name.replace(/-(.)/g, (_, letter) => letter.toUpperCase()),
      /^\d+$/.test(values[name]) ? Number(values[name]) : values[name],
    ]),
  );
}
