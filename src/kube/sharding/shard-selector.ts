import { type HashRange, mergeRanges } from './hash-range.js';

/** The fields by which the API server can shard a collection. */
export type ShardField = 'object.metadata.uid' | 'object.metadata.namespace';

/** The parameter `shardSelector` of lists and watches (KEP-5866): objects whose field has a hash in one of the ranges. */
export interface ShardSelector {
  readonly field: ShardField;
  readonly ranges: readonly HashRange[];
}

/** The form in which the API server repeats a selector in `metadata.shardInfo`. */
export function formatShardSelector({ field, ranges }: ShardSelector): string {
  return ranges.map(({ start, end }) => `shardRange(${field}, '${hex(start)}', '${hex(end)}')`).join(' || ');
}

/** The selector of the objects whose uids are in the ranges, with as few terms as possible. */
export function uidSelector(ranges: readonly HashRange[]): string {
  return formatShardSelector({ field: 'object.metadata.uid', ranges: mergeRanges(ranges) });
}

/** 16 digits; the API server accepts a longer number only as the end of the last range. */
function hex(value: bigint): string {
  return `0x${value.toString(16).padStart(16, '0')}`;
}
