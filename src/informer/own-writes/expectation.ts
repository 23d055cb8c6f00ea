import { compareResourceVersion } from '../../kube/compare-resource-version.js';
import { type Key, metaNamespaceKey, nameOfObject } from '../../kube/key.js';
import { isNonEmptyString, isRecord, type KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';
import { KubeflectError } from '../../util/errors.js';

/** What the cache has to show of a key before it has caught up with the program's writes. */
export interface Expectation {
  readonly key: Key;
  readonly namespace: string;
  /** Of the written object; empty if it is not known. */
  readonly uid: string;
  /** The version of the write; empty if the API did not tell it. */
  readonly version: string;
  /**
   * `gone`: the object of this uid is no longer there. `leaving`: it is gone, or waits for its finalizers or the end of
   * its grace period. Absent: only the version counts.
   */
  readonly deletion?: 'gone' | 'leaving';
}

/** Of what the API answered to a create, an update or a patch. Throws `KUBEFLECT_OBJECT_INVALID`. */
export function expectationOfWrite(object: KubernetesObject): Expectation {
  const { resourceVersion } = metadataOf(object);
  if (isStatus(object) || !isNonEmptyString(resourceVersion)) {
    throw invalid('wrote', 'the object that the API answered, with metadata.resourceVersion');
  }
  const written = { ...identityOf(object), version: resourceVersion };
  // An update that removed the last finalizer: the answer has the version before the deletion.
  return isDeleted(object) ? { ...written, deletion: 'gone' } : written;
}

/**
 * Of an object that was deleted, and what the API answered: a Status if it is gone, the object if it waits for
 * finalizers or its grace period, or the final object. Throws `KUBEFLECT_OBJECT_INVALID`.
 */
export function expectationOfDeletion(object: KubernetesObject, answer: object = object): Expectation {
  if (isStatus(object)) {
    throw invalid('wroteDelete', 'the object that was deleted, and what the API answered as second argument');
  }
  const identity = identityOf(object);
  const uid = firstOf(identity.uid, metadataOf(answer)['uid'], detailsOf(answer)['uid']);
  if (uid === '') throw invalid('wroteDelete', 'the object that was deleted, with metadata.uid');
  const ownVersion = metadataOf(object).resourceVersion;
  if (isStatus(answer)) {
    return { ...identity, uid, version: firstOf(ownVersion), deletion: 'gone' };
  }
  const deleted = { ...identity, uid, version: firstOf(metadataOf(answer)['resourceVersion'], ownVersion) };
  if (isDeleted(answer)) return { ...deleted, deletion: 'gone' };
  // Without the timestamp the answer is the last state before the deletion, or what a client made of it.
  return isTerminating(answer) ? deleted : { ...deleted, deletion: 'leaving' };
}

/** Of two writes of one key, in the order in which they were reported: both have to be seen. */
export function bothExpectations(before: Expectation, after: Expectation): Expectation {
  const version = isNewer(before.version, after.version) ? before.version : after.version;
  if (after.deletion !== undefined || before.deletion === undefined) return { ...after, version };
  // Written again under another uid: then the deletion has happened before.
  return after.uid === before.uid ? { ...before, version } : { ...after, version };
}

/** Whether a write follows another one of the same key, which may be reported in any order. */
export function isLater(write: Expectation, than: Expectation): boolean {
  // A deletion is final for its uid, and may have no version of its own.
  if (write.uid === than.uid && write.deletion !== than.deletion) return write.deletion !== undefined;
  return isNewer(write.version, than.version);
}

/** Whether a store shows the expected state. `isCovered`: it shows everything up to the expected version. */
export function isFulfilled(
  { uid, version, deletion }: Expectation,
  stored: Entry | undefined,
  isCovered: boolean,
): boolean {
  const isReached =
    isCovered || version === '' || (stored !== undefined && isNotBefore(stored.resourceVersion, version));
  if (!isReached || deletion === undefined) return isReached;
  if (stored === undefined || stored.uid !== uid) return true;
  return deletion === 'leaving' && isTerminating(stored.object);
}

function isNotBefore(version: string, than: string): boolean {
  return version === than || (compareResourceVersion(version, than) ?? -1) >= 0;
}

function isNewer(version: string, than: string): boolean {
  return than === '' || (compareResourceVersion(version, than) ?? -1) > 0;
}

function identityOf(object: KubernetesObject): Pick<Expectation, 'key' | 'namespace' | 'uid'> {
  const { namespace, name } = nameOfObject(object);
  return { key: metaNamespaceKey(namespace, name), namespace, uid: firstOf(object.metadata?.uid) };
}

/** client-node has a `Date`. */
export function isTerminating(object: object): boolean {
  return (metadataOf(object)['deletionTimestamp'] ?? undefined) !== undefined;
}

/** A terminating object that waits for nothing has been deleted. */
function isDeleted(object: object): boolean {
  const { finalizers, deletionGracePeriodSeconds } = metadataOf(object);
  const hasFinalizers = isNonEmptyArray(finalizers) || isNonEmptyArray(finalizersOfNamespace(object));
  const hasGracePeriod = typeof deletionGracePeriodSeconds === 'number' && deletionGracePeriodSeconds > 0;
  return isTerminating(object) && !hasFinalizers && !hasGracePeriod;
}

/** A namespace is gone when it is empty; its `spec.finalizers` stand for that. */
function finalizersOfNamespace(object: object): unknown {
  const isOther = 'kind' in object && object.kind !== undefined && object.kind !== 'Namespace';
  return !isOther && 'spec' in object && isRecord(object.spec) ? object.spec['finalizers'] : undefined;
}

function isNonEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function isStatus(answer: object): boolean {
  return 'kind' in answer && answer.kind === 'Status';
}

function metadataOf(object: object): Readonly<Record<string, unknown>> {
  return 'metadata' in object && isRecord(object.metadata) ? object.metadata : {};
}

function detailsOf(status: object): Readonly<Record<string, unknown>> {
  return 'details' in status && isRecord(status.details) ? status.details : {};
}

function firstOf(...values: readonly unknown[]): string {
  return values.find(isNonEmptyString) ?? '';
}

function invalid(method: string, expected: string): KubeflectError {
  return new KubeflectError('KUBEFLECT_OBJECT_INVALID', `${method}: expected ${expected}`);
}
