import { readFile, stat } from 'node:fs/promises';
import { KubeflectError } from '../../util/errors.js';
import { credentialsFailure, namesOf } from '../credentials-failure.js';

/** A bundle of all public authorities is a quarter of this. */
const MOST_BYTES = 1024 * 1024;

/** The text of a file, read again when the file is another one, or has changed. Follows links, which volumes of Kubernetes are made of. */
export class ReloadedFile {
  readonly #path: string;
  /** Taken before the text was read: if the file changes in between, the next look sees it. */
  #stamp: string | undefined;
  #text = '';

  constructor(path: string) {
    this.#path = path;
  }

  /** `isForced` reads it even if it looks the same. Rejects with `KUBEFLECT_CREDENTIALS_FAILED`, naming the path. */
  async read(isForced: boolean): Promise<string> {
    try {
      const found = await stat(this.#path, { bigint: true });
      const { dev, ino, size, mtimeNs, ctimeNs } = found;
      const stamp = [dev, ino, size, mtimeNs, ctimeNs].join();
      if (stamp === this.#stamp && !isForced) return this.#text;
      if (!found.isFile()) throw credentialsFailure(`${this.#path} is not a file`);
      if (size > MOST_BYTES) throw credentialsFailure(`${this.#path} is larger than ${MOST_BYTES} bytes`);
      this.#text = await readFile(this.#path, 'utf8');
      this.#stamp = stamp;
      return this.#text;
    } catch (error) {
      this.#stamp = undefined;
      if (error instanceof KubeflectError) throw error;
      throw credentialsFailure(`${this.#path} could not be read: ${namesOf(error)}`);
    }
  }
}
