/** The child's side of runner/driven-process.ts: answers the calls of its parent, and exits with it. */

/** Methods by name. Details and results cross the process boundary by structured clone. */
export type Calls<C> = { readonly [K in keyof C]: (details: never) => Promise<unknown> };

export interface CallMessage {
  readonly call: string;
  readonly details: object;
}

export function serveCalls<C extends Calls<C>>(calls: C): void {
  const byName = new Map<string, (details: never) => Promise<unknown>>(Object.entries(calls));
  process.on('disconnect', () => process.exit(0));
  process.on('message', async ({ call, details }: CallMessage) => {
    // The parent's side has checked the type: both use the same C.
    const result = await byName.get(call)?.(details as never);
    if (process.connected) process.send?.(result ?? {});
  });
}
