/**
 * What a case hands back, and how it is shown.
 *
 * `{ tables: [{ title, columns, rows }], plots, notes, verdicts: [{ text, isMet }], results }`: cells are texts or numbers with their
 * column's digits; `results` is whatever the case measured, for programs.
 */
import { headerLines } from './header.mjs';

export function markdownOf(header, { tables, notes = [], verdicts = [] }) {
  const lines = [...headerLines(header), ''];
  for (const table of tables) lines.push(...tableLines(table), '');
  lines.push(...notes.map((note) => `- ${note}`));
  lines.push(...verdicts.map(({ text, isMet }) => `- ${isMet ? 'met' : 'NOT MET'}: ${text}`));
  return lines.join('\n');
}

/** A table as texts, without the columns that nobody in it could tell. */
export function tableOf({ title, columns, rows }) {
  const texts = rows.map((cells) => columns.map((column, i) => textOf(cells[i], column)));
  const kept = columns.map((_, i) => i).filter((i) => texts.some((cells) => cells[i] !== ''));
  const names = kept.map((i) => {
    const { name, unit } = columns[i];
    return unit === undefined ? name : `${name}, ${unit}`;
  });
  return { title, names, rows: texts.map((cells) => kept.map((i) => cells[i])) };
}

function tableLines(table) {
  const { title, names, rows } = tableOf(table);
  const row = (cells) => `| ${cells.join(' | ')} |`;
  return [
    ...(title === undefined ? [] : [`**${title}**`, '']),
    row(names),
    row(names.map(() => '---')),
    ...rows.map(row),
  ];
}

/** A number, a spread of rounds, or a text; what a contender cannot tell stays empty. */
function textOf(cell, { digits = 0 }) {
  if (cell === undefined || Number.isNaN(cell)) return '';
  if (typeof cell === 'number') return cell.toFixed(digits);
  if (typeof cell === 'string') return cell;
  if (Number.isNaN(cell.median)) return '';
  const range = `${cell.min.toFixed(digits)}-${cell.max.toFixed(digits)}`;
  return `${cell.median.toFixed(digits)} (${range})`;
}
