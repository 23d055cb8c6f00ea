import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** The name of an installed Chromium, if there is one. */
export const CHROMIUM: string | undefined = ['chromium', 'chromium-browser', 'google-chrome'].find((name) => {
  try {
    execFileSync('which', [name], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** One page in a headless Chromium, controlled by the DevTools protocol over a pipe. */
export class ChromiumPage {
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #pending = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #session = '';
  #nextId = 1;

  private constructor(program: string) {
    this.#folder = mkdtempSync(join(tmpdir(), 'kubeflect-chromium-'));
    const flags = [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      // No traffic but that of the page.
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--remote-debugging-pipe',
      `--user-data-dir=${this.#folder}`,
    ];
    this.#process = spawn(program, flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    let buffered = '';
    (this.#process.stdio[4] as Readable).on('data', (chunk) => {
      buffered += chunk;
      const messages = buffered.split('\0');
      buffered = messages.pop() ?? '';
      for (const message of messages) this.#settle(JSON.parse(message) as Message);
    });
  }

  static async open(
    program: string,
    url: string,
    size: { width: number; height: number },
  ): Promise<ChromiumPage> {
    const page = new ChromiumPage(program);
    const { targetId } = await page.#call<{ targetId: string }>('Target.createTarget', {
      url: 'about:blank',
    });
    const { sessionId } = await page.#call<{ sessionId: string }>('Target.attachToTarget', {
      targetId,
      flatten: true,
    });
    page.#session = sessionId;
    await page.#call('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 1, mobile: false });
    await page.#call('Page.navigate', { url });
    return page;
  }

  /** The value of an expression in the page. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result } = await this.#call<{ result: { value: T } }>('Runtime.evaluate', {
      expression,
      returnByValue: true,
    });
    return result.value;
  }

  /** Emulates the colour scheme of the user's system. */
  async setColorScheme(scheme: 'light' | 'dark'): Promise<void> {
    const features = [{ name: 'prefers-color-scheme', value: scheme }];
    await this.#call('Emulation.setEmulatedMedia', { features });
  }

  /** A PNG of the complete page. */
  async screenshot(): Promise<Buffer> {
    const { data } = await this.#call<{ data: string }>('Page.captureScreenshot', {
      format: 'png',
      captureBeyondViewport: true,
    });
    return Buffer.from(data, 'base64');
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#process.once('close', resolve));
    // Not killed: its children would still write to the folder. The response may never arrive.
    this.#session = '';
    void this.#call('Browser.close', {});
    await closed;
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #call<T>(method: string, params: object): Promise<T> {
    const id = this.#nextId++;
    const message = { id, method, params, ...(this.#session !== '' && { sessionId: this.#session }) };
    (this.#process.stdio[3] as Writable).write(`${JSON.stringify(message)}\0`);
    return new Promise((resolve, reject) =>
      this.#pending.set(id, { resolve: resolve as (result: unknown) => void, reject }),
    );
  }

  #settle({ id, result, error }: Message): void {
    const call = this.#pending.get(id ?? 0);
    this.#pending.delete(id ?? 0);
    if (error !== undefined) call?.reject(new Error(error.message));
    else call?.resolve(result);
  }
}
