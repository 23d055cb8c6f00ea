/** Prints a report, and writes it to the files that were requested. */
import { writeFileSync } from 'node:fs';
import { writeDocs } from './docs.js';
import type { Header } from './header.js';
import { htmlOf } from './html.js';
import { markdownOf, type Report } from './report.js';

export interface Output {
  readonly json: string | undefined;
  readonly html: string | undefined;
  readonly docs: boolean;
}

export function present(header: Header, report: Report, { json, html, docs }: Output): void {
  console.log(markdownOf(header, report));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ header, ...report }, null, 2)}\n`);
  if (html !== undefined) writeFileSync(html, htmlOf(header, report));
  if (docs) writeDocs(header, report);
  // A target that was not met must not look like a success to a script.
  if (report.verdicts?.some(({ isMet }) => !isMet)) process.exitCode = 1;
}
