import type { Fault, FaultMatch, FaultSpec, FaultType } from '../control/fault.js';
import type { RequestVerb } from '../requests/request-info.js';

/** The fields of each fault, besides its type. */
const FIELDS: { readonly [T in FaultType]: readonly Exclude<keyof Extract<Fault, { type: T }>, 'type'>[] } = {
  refuse: ['forMs'],
  delay: ['ms'],
  stall: ['afterBytes'],
  cut: ['afterBytes'],
  reset: ['afterBytes'],
  end: ['afterBytes'],
  closeAfterEvents: ['events'],
  closeAfterMs: ['ms', 'isSilent'],
  chunks: ['sizes'],
  status: ['code', 'reason', 'message', 'retryAfterSeconds'],
  maxInFlight: ['max', 'retryAfterSeconds'],
  plainText: ['code', 'text', 'retryAfterSeconds'],
  errorEvent: ['code', 'reason', 'message', 'afterEvents'],
  expireHistory: [],
  expireContinue: [],
  dropBookmarks: ['which'],
  wrongKind: ['nth', 'kind'],
  invalidJson: ['nth'],
  truncatedJson: ['nth'],
  duplicateEvents: [],
  staleEvents: [],
  redirect: ['location', 'code'],
};
const SPEC: readonly (keyof FaultSpec)[] = ['match', 'fault', 'count'];
const MATCH: readonly (keyof FaultMatch)[] = ['verb', 'path', 'query', 'skip'];
const VERBS: Readonly<Record<RequestVerb, true>> = {
  list: true,
  watch: true,
  get: true,
  create: true,
  update: true,
  patch: true,
  delete: true,
  deletecollection: true,
  other: true,
};

/**
 * Throws a TypeError for an unknown name: a misspelled fault that never happens, or that happens to every request,
 * would let a test pass for the wrong reason.
 */
export function checkFaultSpec(spec: FaultSpec): void {
  checkNames('a fault', spec, SPEC);
  const fields: readonly string[] | undefined = Object.hasOwn(FIELDS, spec.fault?.type)
    ? FIELDS[spec.fault.type]
    : undefined;
  if (fields === undefined) {
    throw new TypeError(
      `faults.add: unknown fault ${spec.fault?.type}; expected one of ${Object.keys(FIELDS).join(', ')}`,
    );
  }
  checkNames(`the fault ${spec.fault.type}`, spec.fault, ['type', ...fields]);
  checkNames('match', spec.match ?? {}, MATCH);
  for (const verb of [spec.match?.verb ?? []].flat()) {
    if (!Object.hasOwn(VERBS, verb))
      throw new TypeError(
        `faults.add: unknown verb ${verb}; expected one of ${Object.keys(VERBS).join(', ')}`,
      );
  }
}

function checkNames(owner: string, value: object, known: readonly string[]): void {
  for (const name of Object.keys(value)) {
    if (!known.includes(name))
      throw new TypeError(
        `faults.add: unknown field ${name} of ${owner}; expected one of ${known.join(', ')}`,
      );
  }
}
