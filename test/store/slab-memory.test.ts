import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SlabMemory } from '#dist/src/store/slab/slab-memory.js';

const KIB = 1024;
const MIB = 1024 * KIB;

describe('SlabMemory', () => {
  it('allocates larger slabs for a larger cache, and never one that is too small', () => {
    const memory = new SlabMemory();
    expect(memory.allocate(1, 0).byteLength).toBe(256 * KIB);
    expect(memory.allocate(1, 64 * MIB).byteLength).toBe(MIB);
    expect(memory.allocate(3 * MIB, 0).byteLength).toBe(3 * MIB);
    expect(memory.allocatedBytes).toBe(256 * KIB + 4 * MIB);
  });

  it('is not counted by V8, which would mark the whole heap otherwise', () => {
    const { external } = process.memoryUsage();
    const kept = Array.from({ length: 64 }, () => new SlabMemory().allocate(MIB, 0));
    expect(process.memoryUsage().external - external).toBeLessThan(16 * MIB);
    expect(kept).toHaveLength(64);
  });

  it('is collected when much of it is garbage, though V8 does not count it', async () => {
    const memory = new SlabMemory();
    const slabs = 8000;
    let most = 0;
    for (let i = 0; i < slabs; i++) {
      memory.allocate(1, 0);
      if (i % 10 === 0) await turn();
      most = Math.max(most, memory.allocatedBytes);
    }
    expect(most).toBeLessThan(slabs * 256 * KIB * 0.75);
  });
});
