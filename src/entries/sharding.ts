/** `kubeflect/sharding`: one collection on several replicas that divide it among themselves. */

export type { ShardRingOptions } from '../ring/ring-options.js';
export { type RingStopOptions, ShardRing } from '../ring/shard-ring.js';
