import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EngineFixture } from '../../support/engine/engine-fixture.js';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
const COUNT = 50;
/** Processes start, and fight for the lock, while other tests use the machine. */
const PATIENCE = { timeout: 30_000, interval: 50 };

/** An engine with a directory, until it is killed, or its input ends. Writes a line for each thing that happens. */
const PROGRAM = `
import { Engine } from ${JSON.stringify(new URL('../../../dist/src/index.js', import.meta.url).href)};
const [server, directory] = process.argv.slice(1);
const say = (line) => process.stdout.write(line + '\\n');
const engine = new Engine({
  connection: { server, headers: {} },
  workers: 1,
  snapshot: { directory, everyMs: 200 },
  onError: (error) => say('error ' + (error.reason ?? error.code)),
});
const informer = engine.informer(${JSON.stringify(CONFIG_MAP)});
informer.start();
await informer.synced;
say(informer.isWarm ? 'warm' : 'cold');
const writes = setInterval(() => {
  if (/snapshot_bytes\\{.*\\} [1-9]/.test(engine.metrics.text())) say('written');
}, 100);
process.stdin.resume().on('end', async () => {
  clearInterval(writes);
  await engine.close();
  say('closed ' + informer.indexer.size);
});
`;

let world: EngineFixture;
let directory: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  world = await EngineFixture.start();
  for (let i = 0; i < COUNT; i++) await world.configMap(`config-${i}`);
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeflect-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});
afterAll(() => world.close());

interface Running {
  readonly child: ChildProcess;
  /** What it has said. */
  readonly lines: string[];
}

function startProcess(): Running {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, world.server.url, directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines: string[] = [];
  if (child.stdout === null) throw new Error('the process has no output');
  createInterface(child.stdout).on('line', (line) => void lines.push(line));
  return { child, lines };
}

let changes = 0;
const change = (): Promise<string> => world.patchConfigMap('config-0', { value: String(++changes) });

async function end({ child }: Running): Promise<void> {
  child.stdin?.end();
  await once(child, 'exit');
}

describe('two processes with one directory', () => {
  it('that start at once: one has it, the other says so, lists, and takes it over when the first was killed', async () => {
    const both = [startProcess(), startProcess()];
    await expect
      .poll(() => both.every(({ lines }) => lines.includes('cold') || lines.includes('warm')), PATIENCE)
      .toBe(true);
    const refused = both.filter(({ lines }) => lines.includes('error locked'));
    expect(refused).toHaveLength(1);
    const [second] = refused;
    const first = both.find((one) => one !== second);
    if (first === undefined || second === undefined) throw new Error('one has the directory');
    await change();
    await expect.poll(() => first.lines, PATIENCE).toContain('written');
    expect(second.lines).not.toContain('written');
    first.child.kill('SIGKILL');
    await change();
    await expect.poll(() => second.lines, PATIENCE).toContain('written');
    await end(second);
    expect(second.lines).toContain(`closed ${COUNT}`);
  });

  it('of which the second was refused: what the first leaves is complete', async () => {
    const first = startProcess();
    await expect.poll(() => first.lines, PATIENCE).toContain('cold');
    const second = startProcess();
    await expect.poll(() => second.lines, PATIENCE).toContain('cold');
    expect(second.lines[0]).toBe('error locked');
    await change();
    await end(second);
    await expect.poll(() => first.lines, PATIENCE).toContain('written');
    await end(first);
    expect((await readdir(directory)).filter((name) => !name.endsWith('.snapshot'))).toEqual([]);
    const third = startProcess();
    await expect.poll(() => third.lines, PATIENCE).toContain('warm');
    expect(third.lines).not.toContain('error locked');
  });
});
