/**
 * What a case hands back, and how it is shown.
 *
 * `{ tables: [{ title, columns, rows }], plots, notes, verdicts: [{ text, isMet }], results }`: cells are texts or numbers with their
 * column's digits; `results` is whatever the case measured, for programs.
 */
import { writeFileSync } from 'node:fs';
import { headerLines } from './header.mjs';

export function present(header, report, { json }) {
  console.log(markdownOf(header, report));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ header, ...report }, null, 2)}\n`);
  // What was promised and not met must not look like a success to a script.
  if (report.verdicts?.some(({ isMet }) => !isMet)) process.exitCode = 1;
}

export function markdownOf(header, { tables, notes = [], verdicts = [] }) {
  const lines = [...headerLines(header), ''];
  for (const table of tables) lines.push(...tableLines(table), '');
  lines.push(...notes.map((note) => `- ${note}`));
  lines.push(...verdicts.map(({ text, isMet }) => `- ${isMet ? 'met' : 'NOT MET'}: ${text}`));
  return lines.join('\n');
}

function tableLines({ title, columns: all, rows: allRows }) {
  // What nobody in this table could tell has no column.
  const kept = all.map((_, i) => i).filter((i) => allRows.some((cells) => textOf(cells[i], all[i]) !== ''));
  const columns = kept.map((i) => all[i]);
  const rows = allRows.map((cells) => kept.map((i) => cells[i]));
  const names = columns.map(({ name, unit }) => (unit === undefined ? name : `${name}, ${unit}`));
  const row = (cells) => `| ${cells.join(' | ')} |`;
  return [
    ...(title === undefined ? [] : [`**${title}**`, '']),
    row(names),
    row(names.map(() => '---')),
    ...rows.map((cells) => row(cells.map((cell, i) => textOf(cell, columns[i])))),
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
