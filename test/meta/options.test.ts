import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../support/source/source-files.js';

const run = promisify(execFile);

it('docs/options.md names every option and its default as the code has them, and no other; the API reference finds every public name', async () => {
  const script = join(ROOT, 'dist-scripts/generate-docs.js');
  const { stderr } = await run(process.execPath, [script, '--check']).catch(
    (error: { stderr: string }) => error,
  );
  expect(stderr).toBe('');
});
