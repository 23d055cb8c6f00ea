import type { IncomingHttpHeaders } from 'node:http';
import type { Resource } from '../resources/resource.js';
import { StatusError } from '../status-error.js';
import { prettyParameter } from './query-options.js';

/** The representation of an object in a response. */
export type Form = 'object' | 'metadata' | 'table';

/** YAML, which a real server supports too, is not. */
export type Encoding = 'json' | 'protobuf';

export interface Negotiated {
  readonly form: Form;
  readonly encoding: Encoding;
  /** PartialObjectMetadataList was requested. */
  readonly isOfList: boolean;
}

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

interface NegotiatedResource {
  readonly resource: Resource;
  readonly scope: 'object' | 'list' | 'watch';
}

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const REPRESENTATIONS = ['application/json', 'application/yaml', PROTOBUF];
const STREAMS = ['application/json;stream=watch', `${PROTOBUF};stream=watch`];
const MEDIA_TYPES: Readonly<Record<Encoding, string>> = { json: 'application/json', protobuf: PROTOBUF };
/** In the order in which a wildcard selects them. */
const ENCODINGS: readonly Encoding[] = ['json', 'protobuf'];
const LIST_FORM = 'PartialObjectMetadataList';

/**
 * The first acceptable clause by quality decides; without one it is a 406 with one of kube-apiserver's two messages.
 * Custom resources have no protobuf but that of their metadata, and tables have none at all.
 */
export function negotiate(headers: IncomingHttpHeaders, target: NegotiatedResource): Negotiated {
  const clauses = parseAccept(headers.accept ?? '');
  if (clauses.length === 0) return { form: 'object', encoding: 'json', isOfList: false };
  const isRouted = clauses.some(({ type }) => type === '*/*' || Object.values(MEDIA_TYPES).includes(type));
  if (!isRouted && !target.resource.isCustom) {
    const available = target.scope === 'object' ? REPRESENTATIONS : [...REPRESENTATIONS, ...STREAMS];
    throw new StatusError(
      406,
      'NotAcceptable',
      `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`,
      { details: {} },
    );
  }
  for (const clause of clauses) {
    for (const encoding of ENCODINGS) {
      const form = isMediaTypeOf(clause, encoding) ? formOf(clause, encoding, target) : undefined;
      if (form !== undefined) {
        return { form, encoding, isOfList: clause.parameters.get('as') === LIST_FORM };
      }
    }
  }
  throw new StatusError(
    406,
    'NotAcceptable',
    `only the following media types are accepted: ${REPRESENTATIONS.join(', ')}`,
  );
}

/** A list needs PartialObjectMetadataList, an object PartialObjectMetadata; a watch accepts both. */
export function checkMetadataForm(
  { form, isOfList }: Negotiated,
  resource: Resource,
  found: 'object' | 'list',
): void {
  if (form !== 'metadata' || isOfList === (found === 'list')) return;
  const as = isOfList ? LIST_FORM : 'PartialObjectMetadata';
  if (resource.isCustom && found === 'object') throw new StatusError(500, undefined, 'content is not a list');
  const goType = resource.isCustom ? 'unstructured.Unstructured' : `core.${resource.kind}`;
  const seen = found === 'list' ? `is a list (*${goType}List)` : `is not a list (*${goType})`;
  throw new StatusError(406, 'NotAcceptable', `you requested ${as}, but the requested object ${seen}`);
}

/** Undefined if no clause is acceptable: the error is then sent as indented JSON. */
export function negotiateError(headers: IncomingHttpHeaders): Encoding | undefined {
  const clauses = parseAccept(headers.accept ?? '');
  if (clauses.length === 0) return 'json';
  for (const clause of clauses) {
    if (['as', 'g', 'v'].some((parameter) => clause.parameters.has(parameter))) continue;
    const encoding = ENCODINGS.find((candidate) => isMediaTypeOf(clause, candidate));
    if (encoding !== undefined && isStreamKnown(clause)) return encoding;
  }
  return undefined;
}

/** A watch may be requested as PartialObjectMetadataList, in which no event can be encoded. */
export function isListFormAsked(headers: IncomingHttpHeaders): boolean {
  return (headers.accept ?? '').includes(`as=${LIST_FORM}`);
}

/** Only the plain token `gzip`: one with a quality value does not count, as in kube-apiserver. */
export function acceptsGzip(headers: IncomingHttpHeaders): boolean {
  const accepted = String(headers['accept-encoding'] ?? '');
  return accepted.split(',').some((token) => token.trim() === 'gzip');
}

/** Browsers and command line tools get indented JSON by default. */
export function isPretty(headers: IncomingHttpHeaders, query: URLSearchParams): boolean {
  const asked = prettyParameter(query);
  if (asked !== undefined) return asked;
  if (/;\s*pretty=(1|true)/.test(headers.accept ?? '')) return true;
  return /^(Mozilla\/5\.0|curl|Wget)/.test(headers['user-agent'] ?? '');
}

function isMediaTypeOf({ type }: Clause, encoding: Encoding): boolean {
  return type === '*/*' || type === 'application/*' || type === MEDIA_TYPES[encoding];
}

function isStreamKnown({ parameters }: Clause): boolean {
  const stream = parameters.get('stream') ?? '';
  return stream === '' || stream === 'watch';
}

/** Undefined if the clause asks for an unavailable form. */
function formOf(clause: Clause, encoding: Encoding, target: NegotiatedResource): Form | undefined {
  if (!isStreamKnown(clause)) return undefined;
  const as = clause.parameters.get('as');
  const group = clause.parameters.get('g');
  const version = clause.parameters.get('v');
  if (as === undefined && group === undefined && version === undefined) {
    return encoding === 'protobuf' && target.resource.isCustom ? undefined : 'object';
  }
  if (group !== 'meta.k8s.io' || !/^v1(beta1)?$/.test(version ?? '')) return undefined;
  if (as === 'Table') return encoding === 'json' ? 'table' : undefined;
  return as === 'PartialObjectMetadata' || as === LIST_FORM ? 'metadata' : undefined;
}

function parseAccept(header: string): Clause[] {
  const clauses = header
    .split(',')
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '')
    .map((clause) => {
      const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
      const parameters = new Map(
        rest.map((part): [string, string] => {
          const equals = part.indexOf('=');
          return equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)];
        }),
      );
      return { type: type.toLowerCase(), parameters, quality: Number(parameters.get('q') ?? 1) };
    });
  return sortClauses(clauses);
}

/** An insertion sort, as Go uses for short slices: the comparison is not transitive, so the algorithm matters. */
function sortClauses(clauses: Clause[]): Clause[] {
  for (let to = 1; to < clauses.length; to++) {
    for (let at = to; at > 0; at--) {
      const [before, after] = [clauses[at - 1], clauses[at]];
      if (before === undefined || after === undefined || !isPreferred(after, before)) break;
      clauses[at - 1] = after;
      clauses[at] = before;
    }
  }
  return clauses;
}

function isPreferred(a: Clause, b: Clause): boolean {
  if (a.quality > b.quality) return true;
  const isAny = ({ type }: Clause): boolean => type.startsWith('*/');
  const isAnySubtype = ({ type }: Clause): boolean => type.endsWith('/*');
  return (!isAny(a) && isAny(b)) || (!isAnySubtype(a) && isAnySubtype(b));
}
