import type { SeededBug } from '../seeded-bugs.js';

const MEMBER = 'src/ring/ring-member.js';
const DRIVER = 'src/ring/ring-driver.js';
const SIGHT = 'src/ring/ring-sight.js';

/** Known mistakes of sharded controllers, each of which the simulation of rings must find. */
export const RING_BUGS: readonly SeededBug[] = [
  {
    name: 'ring: a silent member is not fenced before its shards are taken',
    edits: [
      {
        file: MEMBER,
        find: '!this.#sight.isFree(shard)',
        replace:
          '!(this.#sight.isFree(shard) || facts.nowMs - (this.#view.members.get(this.#view.shards.get(shard)?.holder)?.seenAtMs ?? 0) >= this.#options.leaseDurationMs)',
      },
    ],
  },
  {
    name: 'ring: a shard is handed over without draining it',
    edits: [{ file: MEMBER, find: 'if (!facts.isIdle(shard))', replace: 'if (false)' }],
  },
  {
    name: 'ring: keys are reconciled before the caches have what the last owner wrote',
    edits: [
      { file: MEMBER, find: 'facts.isConfirmed(shard, own.sinceMs)', replace: 'facts.isSynced(shard)' },
    ],
  },
  {
    name: 'ring: a view that lags behind own writes counts',
    edits: [{ file: MEMBER, find: 'const isNew = newest === undefined', replace: 'const isNew = true' }],
  },
  {
    name: 'ring: ownership has no deadline',
    edits: [
      {
        file: DRIVER,
        find: 'return joined?.membership.sinceMs !== undefined && joined.member.isRecorded(shard);',
        replace: 'return joined?.member.isRecorded(shard) === true;',
      },
    ],
  },
  {
    name: 'ring: a shard counts as owned while it is handed over',
    edits: [
      {
        file: MEMBER,
        find: "return phase !== undefined && phase !== 'handing-over';",
        replace: 'return phase !== undefined;',
      },
    ],
  },
  {
    name: 'ring: a member without a Lease counts as fenced at once',
    edits: [
      {
        file: SIGHT,
        find: 'return this.#nowMs - sinceMs >= this.#options.leaseDurationMs;',
        replace: 'return true;',
      },
    ],
  },
  {
    name: 'ring: a shard waits for the member that should have it, which may not write',
    edits: [{ file: SIGHT, find: 'if (turns === 0)', replace: 'if (true)' }],
  },
];
