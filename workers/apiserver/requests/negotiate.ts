import type { IncomingHttpHeaders } from 'node:http';
import type { Resource } from '../resources/resource.js';
import { StatusError } from '../status-error.js';
import { prettyParameter } from './query-options.js';

/** In what form objects go out. Only JSON is spoken; `as` picks what of an object is in it. */
export type Form = 'object' | 'metadata' | 'table';

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const REPRESENTATIONS = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const STREAMS = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];

/** The first acceptable clause by quality decides; none is a 406 in one of kube-apiserver's two wordings. */
export function negotiateForm(
  headers: IncomingHttpHeaders,
  target: { resource: Resource; scope: 'object' | 'list' | 'watch' },
): Form {
  const clauses = parseAccept(headers.accept ?? '');
  if (clauses.length === 0) return 'object';
  const json = clauses.filter(({ type }) => type === 'application/json' || type === '*/*');
  if (json.length === 0) {
    const available = target.scope === 'object' ? REPRESENTATIONS : [...REPRESENTATIONS, ...STREAMS];
    throw new StatusError(
      406,
      'NotAcceptable',
      `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`,
      { details: {} },
    );
  }
  for (const { parameters } of json) {
    const as = parameters.get('as');
    if (as === undefined) return 'object';
    const isMeta = parameters.get('g') === 'meta.k8s.io' && /^v1(beta1)?$/.test(parameters.get('v') ?? '');
    if (!isMeta) continue;
    if (as === 'Table') return 'table';
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') {
      return metadataForm(as, target);
    }
  }
  throw new StatusError(
    406,
    'NotAcceptable',
    `only the following media types are accepted: ${REPRESENTATIONS.join(', ')}`,
  );
}

/** A watch may be asked for in the form of lists, in which no event can be told. */
export function isListFormAsked(headers: IncomingHttpHeaders): boolean {
  return (headers.accept ?? '').includes('as=PartialObjectMetadataList');
}

/** `gzip` as a token of its own: one with a quality does not count, as in kube-apiserver. */
export function acceptsGzip(headers: IncomingHttpHeaders): boolean {
  const accepted = String(headers['accept-encoding'] ?? '');
  return accepted.split(',').some((token) => token.trim() === 'gzip');
}

/** Browsers and command line tools get indented JSON unless they say otherwise. */
export function isPretty(headers: IncomingHttpHeaders, query: URLSearchParams): boolean {
  const asked = prettyParameter(query);
  if (asked !== undefined) return asked;
  if (/;\s*pretty=(1|true)/.test(headers.accept ?? '')) return true;
  return /^(Mozilla\/5\.0|curl|Wget)/.test(headers['user-agent'] ?? '');
}

function metadataForm(
  as: 'PartialObjectMetadata' | 'PartialObjectMetadataList',
  { resource, scope }: { resource: Resource; scope: 'object' | 'list' | 'watch' },
): Form {
  const isListForm = as === 'PartialObjectMetadataList';
  if (scope === 'watch' || isListForm === (scope === 'list')) return 'metadata';
  const goType = resource.isCustom ? 'unstructured.Unstructured' : `core.${resource.kind}`;
  const seen = scope === 'list' ? `is a list (*${goType}List)` : `is not a list (*${goType})`;
  throw new StatusError(406, 'NotAcceptable', `you requested ${as}, but the requested object ${seen}`);
}

function parseAccept(header: string): Clause[] {
  return header
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
    })
    .sort((a, b) => b.quality - a.quality);
}
