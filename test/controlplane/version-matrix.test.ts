import { describe, expect, it } from 'vitest';
import { renderMatrix, summarize, type VersionResult } from './version-matrix.js';

const RESULT: VersionResult = {
  version: '1.37.1',
  passed: 1200,
  failed: [],
  skipped: [],
  seconds: 300,
  exitCode: 0,
};

describe('the table of test:versions', () => {
  it('adds up the reports of a run, and counts a file that cannot be loaded as a failure', () => {
    const test = (status: string): { status: string; fullName: string } => ({
      status,
      fullName: `is ${status}`,
    });
    const file = { name: 'a.test.ts', status: 'failed', message: '' };
    expect(
      summarize([
        { testResults: [{ ...file, assertionResults: [test('passed'), test('failed'), test('skipped')] }] },
        { testResults: [{ ...file, status: 'passed', assertionResults: [test('passed')] }] },
        { testResults: [{ ...file, name: 'b.test.ts', message: 'no module', assertionResults: [] }] },
      ]),
    ).toEqual({ passed: 2, failed: ['is failed', 'b.test.ts: no module'], skipped: ['is skipped'] });
  });

  it('has a row per version, and names what failed or was skipped', () => {
    const rendered = renderMatrix([
      {
        ...RESULT,
        version: '1.32.13',
        failed: ['lists'],
        skipped: ['streams, which 1.33 has off'],
        exitCode: 1,
      },
      { ...RESULT, version: '1.36.3', exitCode: 1 },
      RESULT,
    ]);
    expect(rendered.split('\n')).toEqual([
      '| version | passed |      failed | skipped | seconds |',
      '| ------- | -----: | ----------: | ------: | ------: |',
      '| 1.32.13 |   1200 |           1 |       1 |     300 |',
      '| 1.36.3  |   1200 | exit code 1 |       0 |     300 |',
      '| 1.37.1  |   1200 |           0 |       0 |     300 |',
      '',
      '1.32.13 failed: lists',
      '1.32.13 skipped: streams, which 1.33 has off',
    ]);
  });
});
