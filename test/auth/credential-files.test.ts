import { symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { CredentialFiles, ReloadedFile } from '#dist/src/auth/credential-files.js';
import { inCluster } from '#dist/src/auth/in-cluster.js';
import { SecretFolder } from '../support/credentials/secret-folder.js';
import { clientCertificate, newAuthority } from '../support/servers/credential-checking-server.js';

const folder = new SecretFolder();
afterAll(() => folder[Symbol.dispose]());

describe('ReloadedFile', () => {
  it('is read again when it has changed, or if a reload is forced', async () => {
    const path = folder.write('a', 'one');
    const file = new ReloadedFile(path);
    expect(await file.read(false)).toBe('one');
    folder.write('a', 'two');
    expect(await file.read(false)).toBe('two');
    // In place, of the same size and with the same times, as far as those can be set.
    utimesSync(path, 1, 1);
    await file.read(false);
    writeFileSync(path, 'six');
    utimesSync(path, 1, 1);
    expect(await file.read(true)).toBe('six');
  });

  it('follows symbolic links, by which Kubernetes rotates volumes', async () => {
    await mkdir(`${folder.path}/v1`);
    await mkdir(`${folder.path}/v2`);
    writeFileSync(`${folder.path}/v1/token`, 'one');
    writeFileSync(`${folder.path}/v2/token`, 'two');
    symlinkSync('v1', `${folder.path}/data`);
    const file = new ReloadedFile(`${folder.path}/data/token`);
    expect(await file.read(false)).toBe('one');
    folder.remove('data');
    symlinkSync('v2', `${folder.path}/data`);
    expect(await file.read(false)).toBe('two');
  });

  it('rejects a missing file, a folder and a file that is too large, by path', async () => {
    const large = folder.write('large', 'x'.repeat(1024 * 1024 + 1));
    for (const [path, why] of [
      [`${folder.path}/none`, 'ENOENT'],
      [folder.path, 'is not a file'],
      [large, 'is larger than'],
    ] as const) {
      const reading = new ReloadedFile(path).read(false);
      await expect(reading).rejects.toMatchObject({ code: 'KUBEFLECT_CREDENTIALS_FAILED' });
      await expect(reading).rejects.toThrow(path);
      await expect(reading).rejects.toThrow(why);
    }
  });
});

describe('CredentialFiles', () => {
  it('keeps the last valid pair during a rotation, and reports if the new pair stays invalid', async () => {
    const authority = newAuthority();
    const [one, two] = [clientCertificate(authority, 'one'), clientCertificate(authority, 'two')];
    const certFile = folder.write('c.crt', one.certificate);
    const keyFile = folder.write('c.key', one.privateKey);
    const problems: string[] = [];
    const material = new CredentialFiles({ tls: { certFile, keyFile } }, ({ message }) =>
      problems.push(message),
    );
    const first = await material.tls(false);
    expect(first).toEqual({ cert: one.certificate, key: one.privateKey });
    folder.write('c.crt', two.certificate);
    expect(await material.tls(false)).toEqual(first);
    expect(problems).toEqual([]);
    expect(await material.tls(true)).toEqual(first);
    expect(await material.tls(false)).toEqual(first);
    expect(problems).toEqual([expect.stringContaining('does not belong')]);
    folder.write('c.key', two.privateKey);
    expect(await material.tls(false)).toEqual({ cert: two.certificate, key: two.privateKey });
  });
});

describe('inCluster', () => {
  it('reads the environment of a pod', () => {
    const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    expect(inCluster({ environment })).toEqual({
      server: 'https://[fd00::1]:443',
      tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
      tls: { caFile: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt' },
    });
    expect(() => inCluster({ environment: {} })).toThrow(
      expect.objectContaining({ code: 'KUBEFLECT_OPTION_INVALID' }),
    );
  });
});
