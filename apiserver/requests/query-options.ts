/** ListOptions from the query of a list or watch, with kube-apiserver's defaults and errors. */

import type { IncludeObject } from '../objects/table.js';
import { badRequest, invalid, quote, type StatusCause } from '../status-error.js';
import { boolParameter, intParameter, timeoutParameter } from './query-parameter.js';

export type ResourceVersionMatch = '' | 'Exact' | 'NotOlderThan';

export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** Of the feature gate ShardedListAndWatch; not validated here. */
  readonly shardSelector: string;
  /**
   * As sent: `''` for most recent, `'0'` for any. Not validated here: an invalid number is a 400 for a list and a
   * 500 for a watch.
   */
  readonly resourceVersion: string;
  readonly resourceVersionMatch: ResourceVersionMatch;
  /** Zero or less: no limit. */
  readonly limit: number;
  readonly continue: string;
  /** Ends a watch; lists ignore it. Zero is the same as undefined. */
  readonly timeoutSeconds: number | undefined;
  /** Ends a list, if it is shorter than the server's own deadline; watches ignore it. */
  readonly timeoutMs: number | undefined;
  readonly allowWatchBookmarks: boolean;
  /** Of a watch, after defaulting: true also for a legacy watch from `''` or `'0'` when WatchList is on. */
  readonly sendInitialEvents: boolean | undefined;
  /** Undefined: depends on the User-Agent. */
  readonly pretty: boolean | undefined;
}

export interface ListOptionsContext {
  /** The request is a watch, by its verb. */
  readonly isWatch: boolean;
  /**
   * The WatchList feature gate.
   * @default 'on'
   */
  readonly watchList?: 'on' | 'off';
}

interface Asked {
  readonly match: string;
  readonly resourceVersion: string;
  readonly continueToken: string;
  readonly sendInitialEvents: boolean | undefined;
}

const MATCH_WITH_CONTINUE = 'resourceVersionMatch is forbidden when continue is provided';

/** Throws a StatusError: 400 for values that cannot be parsed, 422 for invalid combinations. */
export function parseListOptions(query: URLSearchParams, context: ListOptionsContext): ListOptions {
  const hasWatchList = context.watchList !== 'off';
  const timeoutMs = context.isWatch ? undefined : timeoutParameter(query);
  const timeoutSeconds = intParameter(query, 'timeoutSeconds');
  const limit = intParameter(query, 'limit') ?? 0;
  const resourceVersion = query.get('resourceVersion') ?? '';
  const continueToken = query.get('continue') ?? '';
  let match = query.get('resourceVersionMatch') ?? '';
  let sendInitialEvents = boolParameter(query, 'sendInitialEvents');

  // Not context.isWatch: on the deprecated /watch/ paths without the parameter, the options are taken for those
  // of a list.
  const hasWatchParameter = boolParameter(query, 'watch') === true;
  const isLegacyStart = resourceVersion === '' || resourceVersion === '0';
  if (hasWatchList && hasWatchParameter && isLegacyStart && sendInitialEvents === undefined && match === '') {
    sendInitialEvents = true;
    match = 'NotOlderThan';
  }

  const asked: Asked = { match, resourceVersion, continueToken, sendInitialEvents };
  const causes = hasWatchParameter ? watchProblems(asked, hasWatchList) : listProblems(asked);
  if (causes.length > 0) throw invalid('meta.k8s.io', 'ListOptions', '', causes);

  return {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    shardSelector: query.get('shardSelector') ?? '',
    resourceVersion,
    resourceVersionMatch: match as ResourceVersionMatch,
    limit,
    continue: continueToken,
    timeoutSeconds,
    timeoutMs,
    allowWatchBookmarks: boolParameter(query, 'allowWatchBookmarks') === true,
    sendInitialEvents,
    pretty: prettyParameter(query),
  };
}

/** Undefined: depends on the User-Agent; an invalid value is false. */
export function prettyParameter(query: URLSearchParams): boolean | undefined {
  const value = query.get('pretty') ?? '';
  return value === '' ? undefined : ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value);
}

// The order of the checks is the order of the causes on the wire.

function listProblems(asked: Asked): StatusCause[] {
  const { match, resourceVersion } = asked;
  const causes: StatusCause[] = [];
  if (match !== '') {
    if (resourceVersion === '') {
      causes.push(forbiddenMatch('resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (asked.continueToken !== '') causes.push(forbiddenMatch(MATCH_WITH_CONTINUE));
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      causes.push(unsupportedMatch(match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && resourceVersion === '0') {
      causes.push(forbiddenMatch('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (asked.sendInitialEvents !== undefined) {
    causes.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return causes;
}

function watchProblems(asked: Asked, hasWatchList: boolean): StatusCause[] {
  const { match } = asked;
  const causes: StatusCause[] = [];
  if (asked.sendInitialEvents !== undefined) {
    if (match !== 'NotOlderThan') {
      causes.push(forbiddenMatch('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
    }
    if (!hasWatchList) {
      causes.push(
        forbidden(
          'sendInitialEvents',
          'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
        ),
      );
    }
  }
  if (match !== '') {
    if (asked.sendInitialEvents === undefined) {
      causes.push(
        forbiddenMatch('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
      );
    }
    if (match !== 'NotOlderThan') causes.push(unsupportedMatch(match, ['NotOlderThan']));
    if (asked.continueToken !== '') causes.push(forbiddenMatch(MATCH_WITH_CONTINUE));
  }
  return causes;
}

function forbidden(field: string, why: string): StatusCause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field };
}

function forbiddenMatch(why: string): StatusCause {
  return forbidden('resourceVersionMatch', why);
}

function unsupportedMatch(value: string, supported: readonly string[]): StatusCause {
  return {
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${quote(value)}: supported values: ${supported.map(quote).join(', ')}`,
    field: 'resourceVersionMatch',
  };
}

/** How much of each object a row of a Table carries. */
export function includeObjectOf(query: URLSearchParams): IncludeObject {
  const asked = query.get('includeObject') ?? '';
  if (asked === 'None' || asked === 'Object' || asked === 'Metadata') return asked;
  if (asked === '') return 'Metadata';
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(asked)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}
