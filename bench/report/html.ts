/** A report as one self-contained page, light or dark like the reader's system. */
import { type Header, headerLines } from './header.js';
import { type Plot, svgOf } from './plots.js';
import { formatTable, type Report, type Table, verdictText } from './report.js';

export function htmlOf(header: Header, { tables, plots, notes, verdicts = [] }: Report): string {
  const { machine, commit, command } = headerLines(header);
  const remarks = [...notes, ...verdicts.map(verdictText)];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>kubeflect bench ${escapeHtml(header.case)}</title>
<style>${STYLE}</style>
<h1>kubeflect bench ${escapeHtml(header.case)}</h1>
<pre>${[machine, commit, command].map(escapeHtml).join('\n')}</pre>
${tables.map(tableHtml).join('\n')}
<ul>
${remarks.map((remark) => `<li>${escapeHtml(remark)}</li>`).join('\n')}
</ul>
${plots.map(plotHtml).join('\n')}
</html>
`;
}

const STYLE = `
:root { color-scheme: light dark; --text: #1f2328; --page: #fff; --line: #d0d7de; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 1400px; margin: 2rem auto; padding: 0 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 0 0 1.5rem; font-size: 13px; }
th, td { border: 1px solid var(--line); padding: 0.3rem 0.5rem; text-align: right; white-space: nowrap; }
th { white-space: normal; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; }
pre { white-space: pre-wrap; }
figure { margin: 1.5rem 0; }
svg { max-width: 100%; height: auto; }
.dark { display: none; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --page: #0d1117; --line: #3d444d; }
  .light { display: none; }
  .dark { display: block; }
}
`;

function tableHtml(table: Table): string {
  const { title, names, rows } = formatTable(table);
  const row = (cells: readonly string[], tag: 'th' | 'td'): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;
  const lines = [row(names, 'th'), ...rows.map((cells) => row(cells, 'td'))];
  return `<h2>${escapeHtml(title)}</h2>\n<div class="scroll"><table>\n${lines.join('\n')}\n</table></div>`;
}

function plotHtml(plot: Plot): string {
  return `<figure><div class="light">${svgOf(plot, 'light')}</div><div class="dark">${svgOf(plot, 'dark')}</div></figure>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
