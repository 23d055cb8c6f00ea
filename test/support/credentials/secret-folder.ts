import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for keys and tokens, whose files are replaced in one step, as volumes of Kubernetes do. */
export class SecretFolder implements Disposable {
  readonly path: string = mkdtempSync(join(tmpdir(), 'kubeflect-secrets-'));

  /** Gives back its path. */
  write(name: string, text: string, mode = 0o600): string {
    const path = join(this.path, name);
    writeFileSync(`${path}.new`, text, { mode });
    renameSync(`${path}.new`, path);
    return path;
  }

  remove(name: string): void {
    rmSync(join(this.path, name));
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true });
  }
}
