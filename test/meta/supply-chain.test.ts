import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/source/source-files.js';

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
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
    expect(Object.keys(dependencies)).toEqual(['piscina', 'yaml']);
    const needed = shipped.filter(([, { optional }]) => optional !== true).map(([path]) => path);
    expect(needed).toEqual(['node_modules/piscina', 'node_modules/yaml']);
  });

  it('is known byte by byte', () => {
    expect(shipped.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ''))).toEqual([]);
  });

  it('runs no script when it is installed, ours included', () => {
    expect(shipped.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
    const atInstall = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];
    expect(Object.keys(scripts).filter((name) => atInstall.includes(name))).toEqual([]);
  });

  it('of development has one package that would, and does without', () => {
    const withScript = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = withScript.map(([path]) => path.replace(/^.*node_modules\//, ''));
    // A native helper of msgpackr, which only tests and fuzzing use; fsevents is for macOS.
    expect(names.filter((name) => !['msgpackr-extract', 'fsevents', 'esbuild'].includes(name))).toEqual([]);
  });
});
