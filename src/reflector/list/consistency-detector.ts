import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';
import { type Clock, sleep } from '../../util/clock.js';
import { KubeflectError } from '../../util/errors.js';

/** client-go's interval between attempts to list. */
const RETRY_MS = 1000;

/**
 * Compares a streaming list with a plain list at exactly the same version, and throws on any difference. It lists
 * everything a second time and decodes all of it: for tests, not for production.
 */
export async function checkConsistency<T extends KubernetesObject>(
  streamed: Iterable<Entry<T>>,
  resourceVersion: string,
  listExact: (resourceVersion: string) => Promise<Iterable<Entry<T>>>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  // '0' is any version.
  if (resourceVersion === '' || resourceVersion === '0') return;
  let listed: Iterable<Entry<T>> | undefined;
  while (listed === undefined) {
    try {
      listed = await listExact(resourceVersion);
    } catch {
      if (signal.aborted) return;
      await sleep(clock, RETRY_MS, signal);
      if (signal.aborted) return;
    }
  }
  const expected = new Map(Array.from(listed, (entry) => [entry.uid, entry]));
  const differing: string[] = [];
  for (const entry of streamed) {
    const other = expected.get(entry.uid);
    if (other === undefined || !isDeepStrictEqual(entry.object, other.object)) differing.push(entry.key);
    expected.delete(entry.uid);
  }
  for (const entry of expected.values()) differing.push(entry.key);
  if (differing.length === 0) return;
  const keys = differing.slice(0, 10).join(', ');
  const message = `the streaming list and the list at ${resourceVersion} differ in ${keys}`;
  throw new KubeflectError('KUBEFLECT_INCONSISTENT_LIST', message);
}
