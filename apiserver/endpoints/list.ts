import { ItemFaults } from '../faults/item-faults.js';
import { encodeJson } from '../json.js';
import { toTable } from '../objects/table.js';
import { decodeContinue, encodeContinue, LATEST_REVISION, startAfter } from '../requests/continue-token.js';
import { checkMetadataForm, type Form, type Negotiated, negotiate } from '../requests/negotiate.js';
import { includeObjectOf, type ListOptions, parseListOptions } from '../requests/query-options.js';
import { Selection } from '../requests/selection.js';
import { type ShardInfo, shardSelectionOf } from '../requests/shard-selection.js';
import { apiVersionOf, type Resource } from '../resources/resource.js';
import { BodyStream, sendJson } from '../responses/body.js';
import { isStoredForm, listItem, metadataObject } from '../responses/object-json.js';
import { badRequest, expired } from '../status-error.js';
import type { Snapshot } from '../storage/snapshot.js';
import type { StoredObject } from '../storage/stored-object.js';
import { checkOutBuffer, releaseBuffer, SLICE_BYTES } from './buffer-pool.js';
import { sendProtobufList } from './protobuf-list.js';
import { collectionOf, type RequestContext } from './request-context.js';
import { listRevision, waitForRevision } from './resource-version.js';

/** Objects scanned in one slice when a selector matches few of them. */
const SLICE_OBJECTS = 5000;
const COMMA = 0x2c;
const METADATA_LIST = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' };
const COMMA_BYTES = Buffer.from([COMMA]);

/** Where a list begins, at which revision, and how many objects are requested. */
interface Plan {
  readonly snapshot: Snapshot;
  readonly start: string;
  /** 0: no limit. */
  readonly limit: number;
}

interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  readonly shardInfo?: ShardInfo;
}

export async function serveList(context: RequestContext): Promise<void> {
  const { resource, info } = context;
  const options = parseListOptions(info.query, { isWatch: false });
  const negotiated = negotiate(context.headers, { resource, scope: 'list' });
  const { form } = negotiated;
  const shards = shardSelectionOf(context.server, options);
  const selection = new Selection(resource, info.namespace, options, { shards });
  // Custom resources and partial metadata have lists of types that cannot carry it.
  const shardInfo = resource.isCustom || form === 'metadata' ? undefined : shards?.info;
  const plan = await planList(context, selection, options);
  try {
    checkMetadataForm(negotiated, resource, 'list');
    const isPage = plan.limit > 0 || snapshotIsEmpty(plan, selection);
    const isGathered = form === 'table' || negotiated.encoding === 'protobuf';
    if (isPage || isGathered || context.body.isPretty) {
      await sendPage(context, selection, plan, { ...negotiated, shardInfo });
    } else {
      const { snapshot, start } = plan;
      const metadata = { resourceVersion: String(snapshot.revision), ...(shardInfo && { shardInfo }) };
      await streamItems(context, selection, form, metadata, (next) =>
        snapshot.scan(next?.key ?? start, selection.range.end),
      );
    }
  } finally {
    plan.snapshot.close();
  }
}

/** True if there are no objects under the path, regardless of selectors. */
function snapshotIsEmpty({ snapshot, start }: Plan, selection: Selection): boolean {
  return snapshot.scan(start, selection.range.end).next().done === true;
}

/** The combinations of resourceVersion, resourceVersionMatch, limit and continue. */
async function planList(context: RequestContext, selection: Selection, options: ListOptions): Promise<Plan> {
  const { server, resource, writer } = context;
  const collection = collectionOf(server, resource);
  const at = (revision: number): Snapshot => collection.snapshot(revision);
  const { start } = selection.range;

  const isCached = server.options.watchCache && resource.hasWatchCache;
  const asked = options.resourceVersion === '' ? undefined : listRevision(options.resourceVersion);
  // For version 0 the watch cache returns all objects, regardless of the limit.
  const limit = asked === 0 && isCached ? 0 : options.limit;

  if (options.continue !== '') {
    if (asked !== undefined && asked > 0) {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    const token = decodeContinue(options.continue);
    const from = start + token.start;
    if (token.revision < 0) return { snapshot: at(server.storage.revision), start: from, limit };
    await waitForRevision(server, token.revision);
    if (token.revision < collection.log.compacted || writer.faults.get('expireContinue') !== undefined) {
      throw expired(
        'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
        encodeContinue({ revision: LATEST_REVISION, start: token.start }, 'storage'),
      );
    }
    return { snapshot: at(token.revision), start: from, limit };
  }

  if (asked === undefined || asked === 0) return { snapshot: at(server.storage.revision), start, limit };
  await waitForRevision(server, asked);
  const isExact =
    options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && options.limit > 0);
  if (!isExact) return { snapshot: at(server.storage.revision), start, limit };
  if (asked < collection.log.compacted) {
    throw expired('The provided resource version is too old to display a consistent list result.');
  }
  return { snapshot: at(asked), start, limit };
}

/** A page is collected before it is written: in typed lists `continue` precedes the items. */
async function sendPage(
  context: RequestContext,
  selection: Selection,
  plan: Plan,
  { form, encoding, shardInfo }: Negotiated & { readonly shardInfo: ShardInfo | undefined },
): Promise<void> {
  const { resource, writer } = context;
  const { snapshot, limit } = plan;
  const page: StoredObject[] = [];
  let hasMore = false;
  for (const object of snapshot.scan(plan.start, selection.range.end)) {
    if (!selection.matches(object)) continue;
    if (limit > 0 && page.length === limit) {
      hasMore = true;
      break;
    }
    page.push(object);
  }
  const next = startAfter(page.at(-1)?.key ?? '');
  const metadata: ListMetadata = {
    resourceVersion: String(snapshot.revision),
    ...(hasMore
      ? {
          continue: encodeContinue(
            { revision: snapshot.revision, start: next.slice(selection.range.start.length) },
            context.server.options.watchCache && resource.hasWatchCache ? 'cache' : 'storage',
          ),
        }
      : {}),
    ...(hasMore && selection.isEverything
      ? { remainingItemCount: snapshot.count(next, selection.range.end) }
      : {}),
    ...(shardInfo === undefined ? {} : { shardInfo }),
  };
  if (form === 'table') {
    const table = toTable(
      resource,
      page.map((object) => object.parse()),
      {
        ...metadata,
        includeObject: includeObjectOf(context.info.query),
        now: context.server.environment.now().getTime(),
      },
    );
    sendJson(writer, 200, encodeJson(table), context.body);
    return;
  }
  if (encoding === 'protobuf') {
    await sendProtobufList(context, form, metadata, page);
    return;
  }
  const faults = new ItemFaults(writer.faults);
  // Go's conversion of an empty list to metadata yields null items.
  if (form === 'metadata' && page.length === 0) {
    sendJson(writer, 200, encodeJson({ ...METADATA_LIST, metadata, items: null }), context.body);
    return;
  }
  if (form === 'object' && !context.body.isPretty && bytesOf(page) > SLICE_BYTES) {
    await streamItems(context, selection, form, metadata, (next) =>
      next === undefined ? page : page.slice(page.indexOf(next)),
    );
    return;
  }
  const envelope = envelopeOf(resource, form, metadata);
  const parts: Buffer[] = [Buffer.from(envelope.head)];
  for (const object of page) {
    if (parts.length > 1) parts.push(COMMA_BYTES);
    parts.push(faults.pass(form === 'metadata' ? metadataObject(object) : listItem(resource, object)));
    if (faults.isTruncated) break;
  }
  if (!faults.isTruncated) parts.push(Buffer.from(envelope.tail));
  sendJson(writer, 200, Buffer.concat(parts), { ...context.body, isRaw: faults.isActive });
}

function bytesOf(page: readonly StoredObject[]): number {
  let bytes = 0;
  for (const { itemLength } of page) bytes += itemLength;
  return bytes;
}

/** `itemsFrom` returns the items from a given one on; undefined at the start. */
async function streamItems(
  context: RequestContext,
  selection: Selection,
  form: Form,
  metadata: ListMetadata,
  itemsFrom: (next: StoredObject | undefined) => Iterable<StoredObject>,
): Promise<void> {
  const { resource, writer, server } = context;
  const body = new BodyStream(writer, context.body);
  const faults = new ItemFaults(writer.faults);
  const transform = transformOf(resource, form, faults);
  const envelope = envelopeOf(resource, form, metadata);
  const deadline = setTimeout(() => writer.destroy(), server.options.requestTimeoutMs);
  const memory = checkOutBuffer();
  try {
    await body.write(Buffer.from(envelope.head));
    let next: StoredObject | undefined;
    let isFirst = true;
    do {
      const buffer = body.isSent ? memory : Buffer.allocUnsafeSlow(SLICE_BYTES);
      const slice = renderSlice(itemsFrom(next), buffer, { selection, isFirst, faults, transform });
      await body.write(slice.bytes);
      await nextTurn();
      ({ next, isFirst } = slice);
    } while (next !== undefined && !faults.isTruncated && !writer.isOver);
    if (body.isSent) releaseBuffer(memory);
    if (!faults.isTruncated) await body.write(Buffer.from(`${envelope.tail}\n`));
    await body.end();
  } finally {
    clearTimeout(deadline);
  }
}

interface Rendering {
  readonly selection: Selection;
  /** True until the first item is written. */
  readonly isFirst: boolean;
  readonly faults: ItemFaults;
  readonly transform: ((object: StoredObject) => Buffer) | undefined;
}

/** As many items of a list as fit one buffer, and the item to continue with. */
interface Slice {
  readonly bytes: Buffer;
  /** Undefined after the last item. */
  readonly next: StoredObject | undefined;
  readonly isFirst: boolean;
}

function renderSlice(objects: Iterable<StoredObject>, memory: Buffer, rendering: Rendering): Slice {
  const { selection, faults, transform } = rendering;
  let { isFirst } = rendering;
  let buffer = memory;
  let offset = 0;
  let looked = 0;
  const until = (next: StoredObject | undefined): Slice => ({
    bytes: buffer.subarray(0, offset),
    next,
    isFirst,
  });
  for (const object of objects) {
    if (looked++ === SLICE_OBJECTS) return until(object);
    if (!selection.matchesContent(object)) continue;
    const transformed = transform?.(object);
    const room = 1 + (transformed?.length ?? object.itemLength);
    if (offset + room > buffer.length) {
      if (offset > 0) return until(object);
      buffer = Buffer.allocUnsafeSlow(room);
    }
    if (!isFirst) buffer[offset++] = COMMA;
    isFirst = false;
    offset =
      transformed === undefined
        ? object.writeItem(buffer, offset)
        : offset + transformed.copy(buffer, offset);
    if (faults.isTruncated) break;
  }
  return until(undefined);
}

/** Undefined: items are sent as they are stored, without a copy. */
function transformOf(
  resource: Resource,
  form: Form,
  faults: ItemFaults,
): ((object: StoredObject) => Buffer) | undefined {
  if (form === 'object' && !faults.isActive && isStoredForm(resource)) return undefined;
  return (object) => faults.pass(form === 'metadata' ? metadataObject(object) : listItem(resource, object));
}

/** The JSON around the items. In typed lists metadata precedes the items; custom lists have all keys sorted. */
function envelopeOf(resource: Resource, form: Form, metadata: ListMetadata): { head: string; tail: string } {
  if (resource.isCustom && form === 'object') {
    const sorted = encodeJson({
      continue: metadata.continue ?? '',
      remainingItemCount: metadata.remainingItemCount,
      resourceVersion: metadata.resourceVersion,
    });
    return {
      head: `{"apiVersion":${encodeJson(apiVersionOf(resource))},"items":[`,
      tail: `],"kind":${encodeJson(resource.listKind)},"metadata":${sorted}}`,
    };
  }
  const { kind, apiVersion } =
    form === 'metadata' ? METADATA_LIST : { kind: resource.listKind, apiVersion: apiVersionOf(resource) };
  return {
    head: `{"kind":${encodeJson(kind)},"apiVersion":${encodeJson(apiVersion)},"metadata":${encodeJson(metadata)},"items":[`,
    tail: ']}',
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
