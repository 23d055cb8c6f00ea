import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, ChromiumPage } from '../support/processes/chromium.js';
import { compileBench } from './compiled-bench.js';

/** Each kind of plot: bars with long names, a heat map, lines; and the titles of their axes. */
const REPORTS = [
  {
    name: 'sync',
    args: ['--objects', '300', '--peer', 'kubeflect-simd,kubeflect-json,client-node,socket'],
    axes: ['time to synced, s', 'peak memory, MB', 'longest stall of the event loop, ms'],
  },
  {
    name: 'sweep',
    args: ['--objects', '300', '--workers', '1,2', '--page-size', '100,2000'],
    axes: ['page size, objects', 'workers, threads', 'Time to synced, s'],
  },
  {
    name: 'scale',
    args: ['--max', '1000'],
    axes: ['time per object, µs', 'bytes held per object, bytes', 'longest stall of the event loop, ms'],
  },
  {
    name: 'watch',
    args: ['--objects', '100', '--rates', '1000,max', '--seconds', '1'],
    axes: [
      'updates of the server, events/s',
      'latency p99, ms',
      'CPU, ms per second',
      'into handlers, events/s',
    ],
  },
] as const;
/** WCAG's for text. */
const MIN_CONTRAST = 4.5;

/** Runs in the page. */
const FAULTS = readFileSync(new URL('../support/processes/plot-faults.mjs', import.meta.url), 'utf8');

describe.runIf(CHROMIUM !== undefined)('HTML report of a benchmark, in a browser', () => {
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubeflect-report-'));
    const bench = await compileBench();
    for (const { name, args } of REPORTS) {
      const html = ['--rounds', '1', '--warm-up', '0', '--html', join(folder, `${name}.html`)];
      // Targets that so few objects do not meet make it exit with 1, after the page is written.
      await bench(name, ...args, ...html).catch(() => {});
    }
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(REPORTS)(
    'shows the plots of $name without overlaps, with units on the axes, in light and in dark',
    async ({ name, axes }) => {
      const url = pathToFileURL(join(folder, `${name}.html`)).href;
      const page = await ChromiumPage.open(CHROMIUM ?? '', url, { width: 1100, height: 900 });
      try {
        await expect.poll(() => page.evaluate('document.readyState')).toBe('complete');
        const shown =
          '[...document.querySelectorAll("svg")].filter((svg) => svg.getBoundingClientRect().width > 0)';
        const titles: string[][] = [];
        for (const scheme of ['light', 'dark'] as const) {
          await page.setColorScheme(scheme);
          expect(await page.evaluate(`eval(${JSON.stringify(FAULTS)})(${MIN_CONTRAST})`), scheme).toEqual([]);
          titles.push(
            await page.evaluate(
              `${shown}.flatMap((svg) => [...svg.querySelectorAll('text')].map((text) => text.textContent))`,
            ),
          );
          const { KUBEFLECT_SCREENSHOTS } = process.env;
          if (KUBEFLECT_SCREENSHOTS !== undefined)
            writeFileSync(join(KUBEFLECT_SCREENSHOTS, `${name}-${scheme}.png`), await page.screenshot());
        }
        expect(titles[0]).toEqual(titles[1]);
        expect(titles[0]).toEqual(expect.arrayContaining([...axes]));
      } finally {
        await page.close();
      }
    },
    60_000,
  );
});
