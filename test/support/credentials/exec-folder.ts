import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ExecPlugin } from '#dist/src/auth/exec/exec-plugin.js';
import { SecretFolder } from './secret-folder.js';

const SCRIPT = fileURLToPath(new URL('../processes/exec-plugin.mjs', import.meta.url));

export type ExecMode = 'answer' | 'fail' | 'hang' | 'flood' | 'nonsense' | 'otherVersion';

export interface ExecStatus {
  readonly token?: string;
  readonly clientCertificateData?: string;
  readonly clientKeyData?: string;
  readonly expirationTimestamp?: string;
}

export interface ExecRun {
  readonly pid: number;
  readonly rest: readonly string[];
  readonly info: {
    readonly apiVersion: string;
    readonly spec: { readonly cluster?: object; readonly interactive: boolean };
  };
  readonly given?: string;
  readonly stdin: string;
}

/** An exec plugin, what it answers, and how often and with what it was run. */
export class ExecFolder extends SecretFolder {
  readonly apiVersion = 'client.authentication.k8s.io/v1';

  answer(status: ExecStatus): void {
    this.write('status.json', JSON.stringify(status));
  }

  plugin(mode: ExecMode, options: Partial<ExecPlugin> & { rest?: readonly string[] } = {}): ExecPlugin {
    const { rest = [], ...others } = options;
    return {
      apiVersion: this.apiVersion,
      command: process.execPath,
      args: [SCRIPT, this.path, mode, ...rest],
      ...others,
    };
  }

  get runs(): ExecRun[] {
    const path = `${this.path}/runs.jsonl`;
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as ExecRun);
  }
}
