/** What a case returns, and its form as Markdown. */
import { type Header, headerLines } from './header.js';
import type { Plot } from './plots.js';
import type { Spread } from './statistics.js';

export interface Report {
  /** The section of docs/benchmarks.md, if it is not the case's name. */
  readonly section?: string | undefined;
  readonly tables: readonly Table[];
  readonly plots: readonly Plot[];
  readonly notes: readonly string[];
  readonly verdicts?: readonly Verdict[];
  /** Everything that was measured, for programs. */
  readonly results: unknown;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

export interface Column {
  readonly name: string;
  readonly unit?: string;
  /** Of its numbers, after the point. */
  readonly digits?: number;
}

/** Undefined and NaN, a value that a contender cannot measure, are shown as an empty cell. */
export type Cell = number | string | Spread | undefined;

/** Whether a target was met. */
export interface Verdict {
  readonly text: string;
  readonly isMet: boolean;
}

export function markdownOf(header: Header, report: Report): string {
  const { machine, commit, command } = headerLines(header);
  return [machine, commit, command, '', ...bodyLines(report)].join('\n');
}

/** Tables, notes and verdicts. */
export function bodyLines({ tables, notes, verdicts = [] }: Report): string[] {
  return [...tables.flatMap((table) => [...tableLines(table), '']), ...remarksOf(notes, verdicts)];
}

function remarksOf(notes: readonly string[], verdicts: readonly Verdict[]): string[] {
  return [...notes, ...verdicts.map(verdictText)].map((line) => `- ${line}`);
}

export function verdictText({ text, isMet }: Verdict): string {
  return `${isMet ? 'met' : 'NOT MET'}: ${text}`;
}

export interface FormattedTable {
  readonly title: string;
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table of strings, without columns that are empty in every row. */
export function formatTable({ title, columns, rows }: Table): FormattedTable {
  const formatted = rows.map((cells) => columns.map((column, i) => formatCell(cells[i], column)));
  const isKept = columns.map((_, i) => formatted.some((cells) => cells[i] !== ''));
  const kept = <T>(cells: readonly T[]): T[] => cells.filter((_, i) => isKept[i]);
  return {
    title,
    names: kept(columns).map(({ name, unit }) => (unit === undefined ? name : `${name}, ${unit}`)),
    rows: formatted.map(kept),
  };
}

function tableLines(table: Table): string[] {
  const { title, names, rows } = formatTable(table);
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [`**${title}**`, '', row(names), row(names.map(() => '---')), ...rows.map(row)];
}

function formatCell(cell: Cell, { digits = 0 }: Column): string {
  if (cell === undefined || Number.isNaN(cell)) return '';
  if (typeof cell === 'number') return cell.toFixed(digits);
  if (typeof cell === 'string') return cell;
  if (Number.isNaN(cell.median)) return '';
  const range = `${cell.min.toFixed(digits)}-${cell.max.toFixed(digits)}`;
  return `${cell.median.toFixed(digits)} (${range})`;
}
