/** Shows a report, and writes it where it was asked for. */
import { writeFileSync } from 'node:fs';
import { writeDocs } from './docs.mjs';
import { htmlOf } from './html.mjs';
import { markdownOf } from './report.mjs';

export function present(header, report, { json, html, docs }) {
  console.log(markdownOf(header, report));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ header, ...report }, null, 2)}\n`);
  if (html !== undefined) writeFileSync(html, htmlOf(header, report));
  if (docs) writeDocs(header, report);
  // What was promised and not met must not look like a success to a script.
  if (report.verdicts?.some(({ isMet }) => !isMet)) process.exitCode = 1;
}
