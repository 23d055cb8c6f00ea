/** Options that cases share. */

export const COMMON = {
  rounds: { type: 'string', default: '3' },
  'warm-up': { type: 'string', default: '1' },
  json: { type: 'string' },
  html: { type: 'string' },
  docs: { type: 'boolean', default: false },
};

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
