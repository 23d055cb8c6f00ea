import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/source/source-files.js';

const run = promisify(execFile);

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
  /** Needed by a development package, and optional at run time. */
  readonly devOptional?: boolean;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const { packages } = read('package-lock.json') as { packages: Readonly<Record<string, Locked>> };
const { dependencies, scripts } = read('package.json') as {
  dependencies: object;
  scripts: Readonly<Record<string, string>>;
};
const locked = Object.entries(packages).filter(([path]) => path !== '');
const shipped = locked.filter(([, { dev }]) => dev !== true);

describe('the supply chain', () => {
  it('is short: each run-time dependency has no dependencies of its own but optional ones', () => {
    expect(Object.keys(dependencies)).toEqual(['msgpackr', 'piscina', 'yaml']);
    const needed = shipped
      .filter(([, { optional, devOptional }]) => optional !== true && devOptional !== true)
      .map(([path]) => path);
    expect(needed).toEqual(['node_modules/msgpackr', 'node_modules/piscina', 'node_modules/yaml']);
  });

  it('is locked by integrity hash, except for the binaries of an addon that is never loaded', () => {
    const loaded = shipped.filter(([path]) => !path.startsWith('node_modules/@msgpackr-extract/'));
    expect(loaded.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ''))).toEqual([]);
  });

  it('runs no install script, including our own, except that of an optional package that is never loaded', () => {
    const withScript = shipped.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    // A native addon of msgpackr. msgpackr/pack and msgpackr/unpack, which src/wire/msgpack.ts imports, do without it.
    expect(withScript.map(([path, { optional }]) => [path, optional])).toEqual([
      ['node_modules/msgpackr-extract', true],
    ]);
    const atInstall = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];
    expect(Object.keys(scripts).filter((name) => atInstall.includes(name))).toEqual([]);
  });

  it('never loads the native addon of msgpackr, neither on the main thread nor in workers', async () => {
    const script = `
      await import('kubeflect');
      const { isNativeAccelerationEnabled } = await import('msgpackr/unpack');
      console.log(isNativeAccelerationEnabled);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT });
    expect(stdout.trim()).toBe('false');
    const bundle = readFileSync(join(ROOT, 'dist/workers/bundle/main.js'), 'utf8');
    expect(['useRecords', 'msgpackr-extract'].map((name) => bundle.includes(name))).toEqual([true, false]);
  });

  it('needs no install script of a development dependency', () => {
    const withScript = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = withScript.map(([path]) => path.replace(/^.*node_modules\//, ''));
    // The native addon of msgpackr; fsevents is for macOS.
    expect(names.filter((name) => !['msgpackr-extract', 'fsevents', 'esbuild'].includes(name))).toEqual([]);
  });
});
