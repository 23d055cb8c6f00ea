import type { KubeflectError } from 'kubeflect';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ExecIdentity } from '#dist/src/auth/exec/exec-identity.js';
import type { ExecPlugin } from '#dist/src/auth/exec/exec-plugin.js';
import type { Clock } from '#dist/src/util/clock.js';
import { systemClock } from '#dist/src/util/clock.js';
import { ExecFolder, type ExecMode } from '../support/credentials/exec-folder.js';
import { clientCertificate, newAuthority } from '../support/servers/credential-checking-server.js';
import { VirtualClock } from '../support/time/virtual-clock.js';

const SECRET = 'never-to-be-seen';
const CLUSTER = { server: 'https://a:6443', tls: { ca: 'CA', serverName: 'b' } };

let folder: ExecFolder;
let problems: KubeflectError[];
let outcomes: string[];
let wallTime: number;
let closed: AbortController;

beforeEach(() => {
  folder = new ExecFolder();
  folder.answer({ token: 'token-1' });
  problems = [];
  outcomes = [];
  wallTime = Date.parse('2030-01-01T00:00:00Z');
  closed = new AbortController();
});
afterEach(() => folder[Symbol.dispose]());

function identityOf(plugin: ExecPlugin, clock: Clock = systemClock) {
  const identity = new ExecIdentity({
    plugin,
    clock,
    wallTime: () => wallTime,
    environment: { ...process.env, SECRET },
    signal: closed.signal,
    onRun: (outcome) => outcomes.push(outcome),
    onProblem: (error) => problems.push(error),
  });
  return (isUnauthorized = false) => identity.identity({ isUnauthorized, cluster: CLUSTER });
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('an exec plugin', () => {
  it('is run without a shell, with its arguments unchanged', async () => {
    const rest = ['; echo a', '$(id)', '`id`', '& b', '| c', '"', "'", 'new\nline', '*', ''];
    await identityOf(folder.plugin('answer', { rest }))();
    expect(folder.runs[0]?.rest).toEqual(rest);
  });

  it('receives its environment and KUBERNETES_EXEC_INFO, and an empty standard input', async () => {
    const env = [{ name: 'GIVEN', value: '$HOME' }];
    await identityOf(folder.plugin('answer', { env }))();
    expect(folder.runs[0]).toMatchObject({
      given: '$HOME',
      stdin: '',
      info: { kind: 'ExecCredential', apiVersion: folder.apiVersion, spec: { interactive: false } },
    });
    expect(folder.runs[0]?.info.spec.cluster).toBeUndefined();
  });

  it('receives the cluster with provideClusterInfo', async () => {
    const apiVersion = 'client.authentication.k8s.io/v1beta1';
    await identityOf(folder.plugin('answer', { apiVersion, provideClusterInfo: true }))();
    expect(folder.runs[0]?.info).toEqual({
      kind: 'ExecCredential',
      apiVersion,
      spec: {
        interactive: false,
        cluster: {
          server: 'https://a:6443',
          'tls-server-name': 'b',
          'certificate-authority-data': Buffer.from('CA').toString('base64'),
          'disable-compression': true,
        },
      },
    });
  });

  it('is run once, until the server responds 401 to its credential', async () => {
    const ask = identityOf(folder.plugin('answer'));
    expect(await ask()).toEqual(bearer('token-1'));
    wallTime += 365 * 24 * 3_600_000;
    folder.answer({ token: 'token-2' });
    expect(await ask()).toEqual(bearer('token-1'));
    expect(await ask(true)).toEqual(bearer('token-2'));
    expect(folder.runs).toHaveLength(2);
    expect(outcomes).toEqual(['done', 'done']);
  });

  it('is run again a minute before its credential expires', async () => {
    folder.answer({ token: 'token-1', expirationTimestamp: '2030-01-01T00:10:00Z' });
    const ask = identityOf(folder.plugin('answer'));
    await ask();
    wallTime += 8 * 60_000;
    folder.answer({ token: 'token-2', expirationTimestamp: '2030-01-01T00:20:00+00:00' });
    expect(await ask()).toEqual(bearer('token-1'));
    wallTime += 61_000;
    expect(await ask()).toEqual(bearer('token-2'));
    expect(folder.runs).toHaveLength(2);
  });

  it('that returns a credential about to expire is not run for every stream', async () => {
    folder.answer({ token: 'token-1', expirationTimestamp: '2030-01-01T00:00:30Z' });
    const ask = identityOf(folder.plugin('answer'));
    for (let i = 0; i < 3; i++) await ask();
    expect(folder.runs).toHaveLength(1);
    wallTime += 30_000;
    await ask();
    expect(folder.runs).toHaveLength(2);
  });

  it('may return a client certificate, alone or with a token', async () => {
    const { certificate, privateKey } = clientCertificate(newAuthority(), 'jane');
    const pair = { clientCertificateData: certificate, clientKeyData: privateKey };
    folder.answer(pair);
    expect(await identityOf(folder.plugin('answer'))()).toEqual({ cert: certificate, key: privateKey });
    folder.answer({ ...pair, token: 't' });
    expect(await identityOf(folder.plugin('answer'))()).toEqual({
      cert: certificate,
      key: privateKey,
      ...bearer('t'),
    });
  });

  it.each([
    [{}, 'neither a token nor a certificate'],
    [{ token: '' }, 'neither a token nor a certificate'],
    [{ token: 't', expirationTimestamp: SECRET }, 'an invalid expirationTimestamp'],
    [{ clientCertificateData: SECRET }, 'without its key'],
    [{ token: 't', clientKeyData: SECRET }, 'or a key alone'],
    [{ clientCertificateData: SECRET, clientKeyData: SECRET }, 'cannot be read'],
  ])('that returns %j has failed', async (status, message) => {
    folder.answer(status);
    const error = await identityOf(folder.plugin('answer'))().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'KUBEFLECT_CREDENTIALS_FAILED',
      message: expect.stringContaining(message),
    });
    expect(String((error as Error).stack)).not.toContain(SECRET);
  });

  it.each<[ExecMode, string, string]>([
    ['fail', 'failed', 'exited with 3; the 24 bytes that it wrote to standard error are not shown'],
    ['flood', 'too-much', 'wrote more than 1048576 bytes'],
    ['nonsense', 'done', 'did not write an ExecCredential'],
    ['otherVersion', 'done', 'did not write an ExecCredential of client.authentication.k8s.io/v1'],
  ])('in the mode %s has failed, and its output is not reported', async (mode, outcome, message) => {
    const error = await identityOf(folder.plugin(mode))().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'KUBEFLECT_CREDENTIALS_FAILED',
      message: expect.stringContaining(message),
    });
    expect(outcomes).toEqual([outcome]);
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain(SECRET);
  });

  it('that does not exist is reported with its install hint, without its arguments', async () => {
    const plugin = { ...folder.plugin('answer', { rest: [SECRET] }), command: 'kubeflect-no-such-plugin' };
    const error = await identityOf({ ...plugin, installHint: 'see example.com' })().catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({
      message: 'the exec plugin kubeflect-no-such-plugin could not be started (ENOENT): see example.com',
    });
    expect(Object.keys(error as object).sort()).toEqual(['code', 'name']);
  });

  it('is killed after its timeout, and when the engine is closed', async () => {
    const clock = new VirtualClock();
    const hanging = identityOf(folder.plugin('hang'), clock)();
    const failure = expect(hanging).rejects.toThrow('has not exited within 60000 ms');
    await expect.poll(() => folder.runs.length, { timeout: 10_000 }).toBe(1);
    await clock.advance(60_000);
    await failure;
    const running = identityOf(folder.plugin('hang'))();
    const stopped = expect(running).rejects.toThrow('the engine was closed');
    await expect.poll(() => folder.runs.length, { timeout: 10_000 }).toBe(2);
    closed.abort();
    await stopped;
    for (const { pid } of folder.runs)
      await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
    expect(outcomes).toEqual(['timeout', 'stopped']);
  });

  it('that fails is retried with exponential backoff, not for every stream', async () => {
    const clock = new VirtualClock();
    const ask = identityOf(folder.plugin('fail'), clock);
    for (const [waitMs, runs] of [
      [0, 1],
      [999, 1],
      [1, 2],
      [1999, 2],
      [1, 3],
    ] as const) {
      await clock.advance(waitMs);
      await expect(ask()).rejects.toThrow('exited with 3');
      expect(folder.runs).toHaveLength(runs);
    }
  });

  it('that fails leaves its last valid credential in use, and is reported once', async () => {
    folder.answer({ token: 'token-1', expirationTimestamp: '2030-01-01T00:10:00Z' });
    const ask = identityOf(folder.plugin('answer'));
    await ask();
    wallTime += 9.5 * 60_000;
    folder.write('status.json', 'nonsense');
    for (let i = 0; i < 3; i++) expect(await ask()).toEqual(bearer('token-1'));
    expect(problems).toHaveLength(1);
    wallTime += 60_000;
    await expect(ask()).rejects.toMatchObject({ code: 'KUBEFLECT_CREDENTIALS_FAILED' });
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
