/** Builds the candidate with client-go's leader election, once per source: the cache is that of the control plane. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SOURCE = fileURLToPath(new URL('client-go/', import.meta.url));
const FILES = ['go.mod', 'go.sum', 'main.go'];

let built: Promise<string> | undefined;

/** The path of the program. Needs Go unless it was built before. */
export function buildClientGoCandidate(): Promise<string> {
  built ??= findOrBuild();
  return built;
}

async function findOrBuild(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of FILES) hash.update(readFileSync(join(SOURCE, file)));
  const root = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const folder = join(root, 'kubeflect', 'election');
  const program = join(folder, `candidate-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const building = `${program}.${process.pid}`;
  const env = { ...process.env, GOTOOLCHAIN: 'local' };
  const flags = ['-buildvcs=false', '-trimpath', '-ldflags', '-s -w'];
  await promisify(execFile)('go', ['build', ...flags, '-o', building, '.'], { cwd: SOURCE, env });
  renameSync(building, program);
  return program;
}
