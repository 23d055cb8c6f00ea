import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format } from 'node:util';
import { type ApiServerHandle, startApiServer } from 'kubeflect/testing';
import { expect, onTestFinished, vi } from 'vitest';

/** A program as a user would write it. It runs in this process, with the kubeconfig of its own API server. */
export interface Program {
  /** A module that runs the program when it is imported. */
  readonly file: URL;
  /** Creates objects before the program starts. */
  readonly prepare?: (server: ApiServerHandle) => Promise<unknown>;
  /** Runs beside the program. `printed` has the lines printed so far. */
  readonly meanwhile?: (server: ApiServerHandle, printed: readonly string[]) => Promise<unknown>;
  readonly prints: readonly (string | RegExp)[];
  /** @default false: the order of the lines matters */
  readonly inAnyOrder?: boolean;
}

/** Runs the program to its end and compares what it printed. */
export async function expectProgram(program: Program): Promise<void> {
  const server = await startApiServer();
  const folder = mkdtempSync(join(tmpdir(), 'kubeflect-program-'));
  onTestFinished(async () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
    await server.close();
  });
  writeFileSync(join(folder, 'config'), server.kubeConfig);
  vi.stubEnv('KUBECONFIG', join(folder, 'config'));
  vi.stubEnv('PORT', '0');
  const printed: string[] = [];
  const print = (...values: unknown[]): void => void printed.push(format(...values));
  vi.spyOn(console, 'log').mockImplementation(print);
  vi.spyOn(console, 'error').mockImplementation(print);
  let exitCode: Parameters<typeof process.exit>[0];
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    exitCode = code;
    return undefined as never;
  });
  await program.prepare?.(server);
  await Promise.all([import(program.file.href), program.meanwhile?.(server, printed)]);
  expect(exitCode ?? 0).toBe(0);
  const sorted = (lines: readonly (string | RegExp)[]) => (program.inAnyOrder ? [...lines].sort() : lines);
  expect(sorted(printed)).toEqual(
    sorted(program.prints).map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
  );
}

/** Waits until the program has printed a matching line, and returns it. */
export async function line(printed: readonly string[], pattern: RegExp): Promise<string> {
  await expect.poll(() => printed.some((text) => pattern.test(text))).toBe(true);
  return printed.find((text) => pattern.test(text)) ?? '';
}
