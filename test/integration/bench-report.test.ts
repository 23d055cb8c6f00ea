import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, ChromiumPage } from '../support/chromium.js';

const RUN = fileURLToPath(new URL('../../bench/run.mjs', import.meta.url));
/** One of each kind of plot, bars with long names, a heat map, lines; and what their axes say. */
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
    axes: ['time an object, µs', 'bytes held an object, bytes', 'longest stall of the event loop, ms'],
  },
] as const;
/** WCAG's for text. */
const LEAST_CONTRAST = 4.5;

/** In the page: what of the plots that are shown cannot be read. */
function faultsOf(leastContrast: number): string[] {
  const faults: string[] = [];
  const rgb = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: string) => {
    const [r = 0, g = 0, b = 0] = rgb(color).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one: string, other: string) => {
    const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  for (const svg of document.querySelectorAll('svg')) {
    if (svg.getBoundingClientRect().width === 0) continue;
    svg.scrollIntoView();
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].filter((text) => text.textContent.trim() !== '');
    const boxes = texts.map((text) => ({ text, name: text.textContent, box: text.getBoundingClientRect() }));
    for (const [index, { text, name, box }] of boxes.entries()) {
      if (
        box.left < frame.left ||
        box.right > frame.right ||
        box.top < frame.top ||
        box.bottom > frame.bottom
      )
        faults.push(`${name} sticks out`);
      for (const other of boxes.slice(index + 1)) {
        const width = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const height = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        if (width > 1 && height > 1) faults.push(`${name} is over ${other.name}`);
      }
      const below = document
        .elementsFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2)
        .filter((element) => element.matches('svg path, svg rect'))
        .map((element) => getComputedStyle(element))
        .find(({ fill, fillOpacity }) => fill !== 'none' && fillOpacity !== '0')?.fill;
      const paper = below ?? getComputedStyle(document.body).backgroundColor;
      if (contrast(getComputedStyle(text).fill, paper) < leastContrast) faults.push(`${name} is hard to see`);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page is wider than the window');
  if (document.body.textContent.includes('NaN')) faults.push('NaN');
  return faults;
}

describe.runIf(CHROMIUM !== undefined)('a report in a browser', () => {
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubeflect-report-'));
    for (const { name, args } of REPORTS) {
      const html = ['--rounds', '1', '--warm-up', '0', '--html', join(folder, `${name}.html`)];
      // Figures that are not met by so few objects end it with 1; the page is there.
      await promisify(execFile)(process.execPath, [RUN, name, ...args, ...html]).catch(() => {});
    }
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(REPORTS)(
    'of $name can be read, in light and in dark: axes with units, nothing over another',
    async ({ name, axes }) => {
      const url = pathToFileURL(join(folder, `${name}.html`)).href;
      const page = await ChromiumPage.open(CHROMIUM ?? '', url, { width: 1100, height: 900 });
      try {
        await expect.poll(() => page.evaluate('document.readyState')).toBe('complete');
        const shown =
          '[...document.querySelectorAll("svg")].filter((svg) => svg.getBoundingClientRect().width > 0)';
        const titles: string[][] = [];
        for (const scheme of ['light', 'dark'] as const) {
          await page.prefer(scheme);
          expect(await page.evaluate(`(${faultsOf.toString()})(${LEAST_CONTRAST})`), scheme).toEqual([]);
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
