import { describe, expect, it } from 'vitest';
import { ELECTOR_BUGS } from './electors/elector-bugs.js';
import { ENGINE_BUGS } from './engine/engine-bugs.js';
import { RING_BUGS } from './ring/ring-bugs.js';
import { plant, SEEDED_BUGS } from './seeded-bugs.js';
import { SNAPSHOT_BUGS } from './snapshot/snapshot-bugs.js';

const BUILT = new URL('../../dist/', import.meta.url);

describe('seeded bugs', () => {
  it.each([...SEEDED_BUGS, ...ENGINE_BUGS, ...ELECTOR_BUGS, ...RING_BUGS, ...SNAPSHOT_BUGS])(
    'can be planted in the built files: $name',
    async (bug) => {
      for (const { code } of await plant(BUILT, bug)) expect(code).not.toBe('');
    },
  );
});
