import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../support/source/source-files.js';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('../support/processes/black-hole.mjs', import.meta.url));

/** Needs Linux, user namespaces and `ip`; elsewhere the proxy's black hole (toxics.test.ts) has to do. */
function canHaveNetworks(): boolean {
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
  'packets that get lost%s are noticed within 30 s by default, and cost no list',
  async (_, args) => {
    if (!canHaveNetworks()) {
      console.log('this machine cannot have networks of its own: nothing was tried');
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
