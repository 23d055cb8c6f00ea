import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../support/source/source-files.js';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('../support/processes/black-hole.mjs', import.meta.url));

/** Needs Linux, user namespaces and `ip`. Elsewhere only the black hole of a proxy is tested (test/engine/toxics.slow.test.ts). */
function canCreateNetworks(): boolean {
  try {
    execFileSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

it.each([
  ['', []],
  [' behind a proxy that keeps connections open', ['proxied']],
])(
  'lost packets%s are detected within 30 s by default, and cause no list',
  async (_, args) => {
    if (!canCreateNetworks()) {
      console.log('not run: this machine cannot create network namespaces');
      return;
    }
    const { stdout } = await run('unshare', ['-rn', process.execPath, SCRIPT, ...args], {
      cwd: ROOT,
      timeout: 190_000,
    });
    const { noticedMs, relists } = JSON.parse(stdout) as { noticedMs: number; relists: number };
    console.log(stdout.trim());
    expect(noticedMs).toBeLessThan(30_000);
    expect(relists).toBe(0);
  },
  200_000,
);
