import { onAbort } from '../util/abort.js';

/**
 * client-go's WaitForCacheSync, for informers and handler registrations. True when all have synced; false as soon as
 * the signal aborts, or one of them was stopped and can no longer sync.
 */
export async function waitForCacheSync(
  waitedFor: readonly { readonly hasSynced: boolean; readonly synced: Promise<void> }[],
  options: { readonly signal?: AbortSignal } = {},
): Promise<boolean> {
  let release = (): void => {};
  const aborted = new Promise<void>((resolve) => {
    if (options.signal !== undefined) release = onAbort(options.signal, resolve);
  });
  const all = Promise.all(waitedFor.map((one) => one.synced)).catch(() => {});
  await Promise.race([all, aborted]);
  release();
  return waitedFor.every((one) => one.hasSynced);
}
