import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EngineFixture } from '../support/engine/engine-fixture.js';
import { ROOT } from '../support/source/source-files.js';

const run = promisify(execFile);
const CLIENT = fileURLToPath(new URL('../support/processes/hardened-client.mjs', import.meta.url));
const [major = 0] = process.versions.node.split('.').map(Number);
const PERMISSION = major >= 24 ? '--permission' : '--experimental-permission';

let world: EngineFixture;

beforeAll(async () => {
  world = await EngineFixture.start({});
  await world.server.create(
    JSON.parse(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"hostile","namespace":"default"},"data":{"__proto__":"own","constructor":"a","plain":"c","toJSON":"b"}}',
    ),
  );
});
afterAll(() => world.close());

/** Flags that operators of careful houses start Node with; and those that let it read files, and nothing else. */
const HOUSES: readonly (readonly [string, readonly string[], number])[] = [
  ['without __proto__', ['--disable-proto=delete'], 1],
  ['with __proto__ that throws', ['--disable-proto=throw'], 1],
  ['without code from strings', ['--disallow-code-generation-from-strings'], 1],
  ['with frozen intrinsics', ['--frozen-intrinsics'], 0],
  ['that may read files and start threads only', [PERMISSION, '--allow-fs-read=*', '--allow-worker'], 1],
];

describe('a hardened process', () => {
  it.each(HOUSES)('%s caches hostile objects without touching a prototype', async (_, flags, workers) => {
    // Node 25 and newer has a permission for the network too.
    const network = major >= 25 && flags.includes(PERMISSION) ? ['--allow-net'] : [];
    const args = ['--no-warnings', ...flags, ...network, CLIENT, world.server.url, String(workers)];
    const { stdout } = await run(process.execPath, args, { cwd: ROOT, timeout: 25_000 }).catch(
      (error: { stdout: string; stderr: string }) => ({ stdout: error.stdout || error.stderr }),
    );
    expect(JSON.parse(stdout)).toEqual({
      objects: { 'default/hostile': '{"__proto__":"own","constructor":"a","plain":"c","toJSON":"b"}' },
      isUntouched: true,
      errors: [],
    });
  });
});
