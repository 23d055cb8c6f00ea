import type { ServiceAllocator } from '../defaults/service-defaults.js';
import type { Environment } from '../environment.js';

/** Addresses out of 10.0.0.0/16 and node ports out of the usual range, by chance: nothing here routes to them. */
export function serviceAllocator({ random }: Environment): ServiceAllocator {
  const between = (from: number, to: number): number => from + Math.floor(random() * (to - from));
  return {
    clusterIP: () => `10.0.${between(0, 256)}.${between(1, 255)}`,
    nodePort: () => between(30_000, 32_768),
  };
}
