import { ProtobufError } from '../../src/kube/protobuf-schema/wire-reader.js';
import { goSyntaxError } from '../go-json-error.js';
import { isRecord, parseJson } from '../json.js';
import { decodeEnvelope } from '../protobuf/decode-envelope.js';
import { decodeMessage } from '../protobuf/decode-message.js';
import type { DeleteOptions } from '../registry/deletion.js';
import { badRequest, invalid, quote, type StatusCause } from '../status-error.js';
import { intParameter } from './query-parameter.js';
import { formatOf, type RequestBody } from './request-body.js';
import { dryRunProblems } from './write-options.js';

const POLICIES = ['Foreground', 'Background', 'Orphan'];

interface Asked {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: string | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly dryRun: readonly string[];
  readonly preconditions: DeleteOptions['preconditions'];
}

/** From the body if there is one, otherwise from the query. */
export function parseDeleteOptions(query: URLSearchParams, body: RequestBody): DeleteOptions {
  const asked = body.bytes.length === 0 ? fromQuery(query) : fromBody(body);
  const causes: StatusCause[] = [];
  const policy = asked.propagationPolicy;
  if (policy !== undefined && asked.orphanDependents !== undefined) {
    causes.push({
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${quote(policy)}: orphanDependents and deletionPropagation cannot be both set`,
      field: 'propagationPolicy',
    });
  }
  if (policy !== undefined && !POLICIES.includes(policy)) {
    causes.push({
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${quote(policy)}: supported values: ${[...POLICIES, 'nil'].map(quote).join(', ')}`,
      field: 'propagationPolicy',
    });
  }
  causes.push(...dryRunProblems(asked.dryRun));
  if (causes.length > 0) throw invalid('meta.k8s.io', 'DeleteOptions', '', causes);
  const propagationPolicy = policy ?? (asked.orphanDependents === true ? 'Orphan' : undefined);
  return {
    isDryRun: asked.dryRun.includes('All'),
    ...(asked.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: asked.gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(asked.preconditions === undefined ? {} : { preconditions: asked.preconditions }),
  };
}

function fromQuery(query: URLSearchParams): Asked {
  const orphan = query.get('orphanDependents');
  return {
    gracePeriodSeconds: intParameter(query, 'gracePeriodSeconds'),
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    orphanDependents: orphan === null ? undefined : orphan !== 'false' && orphan !== '0',
    dryRun: query.getAll('dryRun'),
    preconditions: undefined,
  };
}

function fromBody(body: RequestBody): Asked {
  const options = formatOf(body) === 'json' ? readJson(body.bytes) : readProtobuf(body.bytes);
  const kind = options['kind'] ?? 'DeleteOptions';
  if (kind !== 'DeleteOptions') {
    throw badRequest(
      `no kind ${quote(String(kind))} is registered for version ${quote(String(options['apiVersion'] ?? 'v1'))} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, dryRun, preconditions } = options;
  return {
    gracePeriodSeconds: typeof gracePeriodSeconds === 'number' ? gracePeriodSeconds : undefined,
    propagationPolicy: typeof propagationPolicy === 'string' ? propagationPolicy : undefined,
    orphanDependents: typeof orphanDependents === 'boolean' ? orphanDependents : undefined,
    dryRun: Array.isArray(dryRun) ? dryRun.map(String) : [],
    preconditions: isRecord(preconditions) ? (preconditions as DeleteOptions['preconditions']) : undefined,
  };
}

function readJson(bytes: Buffer): Record<string, unknown> {
  const problem = goSyntaxError(bytes);
  if (problem !== undefined) throw badRequest(`couldn't get version/kind; json parse error: ${problem}`);
  const options = parseJson(bytes.toString());
  if (!isRecord(options)) throw badRequest('DeleteOptions must be an object');
  return options;
}

/** Accepted for custom resources too: DeleteOptions is a built-in kind. */
function readProtobuf(bytes: Buffer): Record<string, unknown> {
  try {
    const { apiVersion, kind, raw } = decodeEnvelope(bytes);
    return {
      ...decodeMessage('meta.v1.DeleteOptions', raw),
      ...(apiVersion === '' ? {} : { apiVersion }),
      ...(kind === '' ? {} : { kind }),
    };
  } catch (error) {
    throw error instanceof ProtobufError ? badRequest(error.message) : error;
  }
}
