import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServerHandle, startApiServer } from 'kubeflect/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM, ChromiumPage } from '../support/processes/chromium.js';
import { Cli } from '../support/processes/cli.js';

let server: ApiServerHandle;
let folder: string;

beforeAll(async () => {
  server = await startApiServer();
  folder = mkdtempSync(join(tmpdir(), 'kubeflect-web-'));
  writeFileSync(join(folder, 'config'), server.kubeConfig);
  await server.populate({ kind: 'Pod', count: 1000, churnPerSecond: 50 });
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

async function top(): Promise<{ cli: Cli; url: string }> {
  const cli = new Cli(['top', 'pods', 'nodes', '-A', '--web', '--interval', '200ms'], {
    KUBECONFIG: join(folder, 'config'),
  });
  await expect.poll(() => cli.stderr).toMatch(/web page: http/);
  return { cli, url: /http\S+/.exec(cli.stderr)?.[0] ?? '' };
}

/** The status of a request with this Host header, as a foreign page would send it. */
function statusOf(url: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('kubeflect top --web', () => {
  it('serves a page and its events on 127.0.0.1, to requests for a local host name only, until Ctrl-C', async () => {
    const { cli, url } = await top();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    const page = await fetch(url);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain('<title>kubeflect top</title>');
    expect(await statusOf(url, 'evil.example.com')).toBe(403);
    expect((await fetch(new URL('/other', url))).status).toBe(404);
    const events = await fetch(new URL('/events', url));
    expect(events.headers.get('content-type')).toBe('text/event-stream');
    const reader = events.body?.getReader();
    let text = '';
    while (!/"state":"synced","objects":1\d\d\d/.test(text))
      text += Buffer.from((await reader?.read())?.value ?? []).toString();
    cli.interrupt();
    expect(await cli.exited).toMatchObject({ code: 0 });
  });

  it.runIf(CHROMIUM !== undefined)('shows every informer and draws every chart', async () => {
    const { url } = await top();
    const page = await ChromiumPage.open(CHROMIUM ?? '', url, { width: 1280, height: 900 });
    onTestFinished(() => page.close());
    const shown = (expression: string) => expect.poll(() => page.evaluate(expression), { timeout: 20_000 });
    await shown("document.querySelectorAll('article h2 span').length").toBe(2);
    await shown("[...document.querySelectorAll('article h2 span')].map((e) => e.textContent)").toEqual([
      'synced',
      'synced',
    ]);
    await shown("document.querySelector('#state').textContent").toMatch(/^live/);
    await shown(
      `[...document.querySelectorAll('figure svg')].every(
        (svg) => svg.querySelector('polyline')?.getAttribute('points').split(' ').length > 2,
      )`,
    ).toBe(true);
    const { KUBEFLECT_SCREENSHOT } = process.env;
    if (KUBEFLECT_SCREENSHOT !== undefined) writeFileSync(KUBEFLECT_SCREENSHOT, await page.screenshot());
    // No overflow, and no broken number.
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await page.evaluate("document.body.textContent.includes('NaN')")).toBe(false);
  });
});
