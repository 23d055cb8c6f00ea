/** The errors of kube-apiserver: each is a Status body and an HTTP code. */

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** In the field order of the wire. */
export interface StatusBody {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly continue?: string };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

interface ResourceName {
  readonly group: string;
  readonly plural: string;
}

/** Thrown by endpoints; the server turns it into the response. */
export class StatusError extends Error {
  readonly body: StatusBody;
  readonly code: number;

  constructor(
    code: number,
    reason: string | undefined,
    message: string,
    more: { details?: StatusDetails; continue?: string } = {},
  ) {
    super(message);
    this.name = 'StatusError';
    this.code = code;
    this.body = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: more.continue === undefined ? {} : { continue: more.continue },
      status: 'Failure',
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(more.details === undefined ? {} : { details: more.details }),
      code,
    };
  }
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function notFound(resource: ResourceName, name: string): StatusError {
  return new StatusError(404, 'NotFound', `${qualified(resource)} ${quote(name)} not found`, {
    details: detailsOf(resource, name),
  });
}

/** For a path inside a known group and version that names no resource. */
export function unknownResource(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {
    details: {},
  });
}

export function methodNotAllowed(): StatusError {
  return new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    { details: {} },
  );
}

export function alreadyExists(resource: ResourceName, name: string, prefix = ''): StatusError {
  return new StatusError(
    409,
    'AlreadyExists',
    `${prefix}${qualified(resource)} ${quote(name)} already exists`,
    { details: detailsOf(resource, name) },
  );
}

export function conflict(resource: ResourceName, name: string, why: string): StatusError {
  return new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} ${quote(name)}: ${why}`,
    { details: detailsOf(resource, name) },
  );
}

export const STALE_OBJECT =
  'the object has been modified; please apply your changes to the latest version and try again';

/** For a resourceVersion in an object; the errors of those in queries read differently. */
export function unreadableVersion(version: string): StatusError {
  return new StatusError(500, undefined, `strconv.ParseUint: parsing ${quote(version)}: invalid syntax`);
}

/** 422; `kind` is the kind or, for some checks, the plural: kube-apiserver is inconsistent. */
export function invalid(
  group: string,
  kind: string,
  name: string,
  causes: readonly StatusCause[],
): StatusError {
  // Equal causes are listed as often as they were found, but appear once in the message.
  const messages = [...new Set(causes.map((cause) => `${cause.field}: ${cause.message}`))];
  const list = messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`;
  const qualifiedKind = group === '' ? kind : `${kind}.${group}`;
  return new StatusError(422, 'Invalid', `${qualifiedKind} ${quote(name)} is invalid: ${list}`, {
    details: { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind, causes },
  });
}

export function expired(message: string, continueToken?: string): StatusError {
  return new StatusError(
    410,
    'Expired',
    message,
    continueToken === undefined ? {} : { continue: continueToken },
  );
}

export function tooLargeResourceVersion(
  asked: number | string,
  current: number,
  hasRetryAfter: boolean,
): StatusError {
  return new StatusError(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${asked}, current: ${current}`,
    {
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        ...(hasRetryAfter ? { retryAfterSeconds: 1 } : {}),
      },
    },
  );
}

export function quote(value: string): string {
  return JSON.stringify(value);
}

function qualified(resource: ResourceName): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

function detailsOf(resource: ResourceName, name: string): StatusDetails {
  return { name, ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.plural };
}
