/**
 * docs/benchmarks.md: a section for each case (and server), with its plots beside it as SVG. A run replaces its own section and leaves the others.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { svgOf } from './plots.mjs';
import { markdownOf } from './report.mjs';

const PAGE = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url));
const PICTURES = fileURLToPath(new URL('../docs/benchmarks/', import.meta.url));

const INTRODUCTION = `# Benchmarks

Written by \`npm run bench -- <case> --docs\`; do not edit. Each section says on what machine it was made, from which commit and by which command:
the same command repeats it. \`npm run bench -- --help\` lists the cases and their options.
`;

export function writeDocs(header, report) {
  mkdirSync(PICTURES, { recursive: true });
  const sections = existsSync(PAGE) ? sectionsOf(readFileSync(PAGE, 'utf8')) : new Map();
  const name = report.section ?? header.case;
  sections.set(name, sectionOf(name, header, report));
  writeFileSync(PAGE, [INTRODUCTION, ...sections.values()].join('\n'));
}

/** By the case in their headings, as they stand. */
function sectionsOf(text) {
  const parts = text.split(/^(?=## )/m).slice(1);
  return new Map(parts.map((part) => [/^## (\S+)/.exec(part)?.[1] ?? '', `${part.trimEnd()}\n`]));
}

function sectionOf(name, header, report) {
  const pictures = (report.plots ?? []).map((plot, i) => {
    const names = ['light', 'dark'].map((theme) => {
      const file = `${name}-${i + 1}-${theme}.svg`;
      writeFileSync(`${PICTURES}${file}`, `${svgOf(plot, theme)}\n`);
      return `benchmarks/${file}`;
    });
    return `<picture><source media="(prefers-color-scheme: dark)" srcset="${names[1]}"><img alt="${plot.title}" src="${names[0]}"></picture>`;
  });
  const [machine, commit, command, ...rest] = markdownOf(header, report).split('\n');
  const lines = [`## ${name}`, '', `${machine}, ${commit}.`, '', '```sh', command, '```', ...rest];
  return `${[...lines, '', ...pictures].join('\n').trimEnd()}\n`;
}
