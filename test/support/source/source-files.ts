import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

export interface SourceFile {
  /** Relative to the root, with slashes. */
  readonly path: string;
  readonly text: string;
  /** Relative imports as paths of source files, and the names of packages. */
  readonly imports: readonly string[];
}

/** Every TypeScript file under the given folders of the project. */
export function sourceFiles(...folders: string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => read(join(entry.parentPath, entry.name))),
  );
}

function read(file: string): SourceFile {
  const text = readFileSync(file, 'utf8');
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
  const imports = specifiers.map((specifier) =>
    specifier.startsWith('.')
      ? relative(ROOT, resolve(dirname(file), specifier)).replace(/\.js$/, '.ts')
      : specifier,
  );
  return { path: relative(ROOT, file), text, imports };
}
