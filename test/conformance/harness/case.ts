/** `test` gives a case the server and a namespace of its own; `either` lists allowed alternatives. */

import { test as base } from 'vitest';
import type { ApiClient } from './client.js';
import { CustomResource } from './custom-resource.js';
import { Sandbox } from './sandbox.js';
import { openTarget } from './target.js';
import { minorOfServer } from './versions.js';

export interface CaseFixtures {
  /** One per file. */
  api: ApiClient;
  /** The minor version of the server, 37 of v1.37.1: some behaviour changed from one to the next. */
  minor: number;
  /** One per case, emptied and deleted afterwards. */
  ns: Sandbox;
  /** A served custom resource, one per file, because a real server needs seconds to establish it. */
  widgets: CustomResource;
}

export const test = base.extend<CaseFixtures>({
  api: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the needed fixtures off this pattern
    async ({}, use) => {
      const target = await openTarget();
      await use(target.api);
      await target.close();
    },
    { scope: 'file' },
  ],
  minor: [
    async ({ api }, use) => {
      await use(await minorOfServer(api));
    },
    { scope: 'file' },
  ],
  widgets: [
    async ({ api }, use) => {
      const widgets = await CustomResource.define(api);
      await use(widgets);
      await widgets.remove();
    },
    { scope: 'file' },
  ],
  ns: async ({ api }, use) => {
    const sandbox = await Sandbox.open(api);
    await use(sandbox);
    await sandbox.close();
  },
});

/** One of several allowed behaviours. */
export interface Alternative {
  readonly name: string;
  readonly check: () => void | Promise<void>;
}

/**
 * For behaviour in which API servers may legitimately differ: prints the alternative that was observed.
 * Passes when one alternative holds; fails with every reason otherwise.
 */
export async function either(reason: string, ...alternatives: readonly Alternative[]): Promise<void> {
  const failures: string[] = [];
  for (const { name, check } of alternatives) {
    try {
      await check();
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      continue;
    }
    console.log(`either (${reason}): ${name}`);
    return;
  }
  throw new Error(`none of the allowed alternatives was observed (${reason})\n${failures.join('\n')}`);
}
