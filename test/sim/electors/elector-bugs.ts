import type { SeededBug } from '../seeded-bugs.js';

const ELECTION = 'src/lease/election.js';
const OBSERVED = 'src/lease/observed-lease.js';
const MEMORY = 'src/lease/leadership-memory.js';
const WRITES = 'src/lease/own-writes.js';

/** Errors that packages for leader election have made, or nearly. */
export const ELECTOR_BUGS: readonly SeededBug[] = [
  {
    name: 'the remote clock is trusted: a lease expires by its renew time',
    edits: [
      {
        file: ELECTION,
        find: "const isFree = canResume || this.#observed.holder === '' || this.#at.nowMs >= expiresAtMs;",
        replace:
          'const { renewTime, leaseDurationSeconds } = lease.spec;\n' +
          "const isFree = isOwn || this.#observed.holder === '' || " +
          'this.#at.wallMs >= Date.parse(renewTime) + leaseDurationSeconds * 1000;',
      },
    ],
  },
  {
    name: 'the deadline is counted from when the response was received',
    edits: [
      {
        file: ELECTION,
        find: 'this.#renewed(sentAt);',
        replace: 'this.#renewed(this.#at);',
      },
      {
        file: ELECTION,
        find: 'this.#acquired(sentAt);',
        replace: 'this.#acquired(this.#at);',
      },
      // As in a client without a timeout of its own.
      { file: ELECTION, find: 'const REQUEST_SHARE = 0.5;', replace: 'const REQUEST_SHARE = 3;' },
      {
        file: ELECTION,
        find: 'limits.push(this.#term.deadlineMs);',
        replace: ';',
      },
    ],
  },
  {
    name: 'a renewal that was under way when the term ended begins it anew',
    edits: [
      { file: ELECTION, find: '#checkTerm() {', replace: '#checkTerm() {\n return;' },
      { file: ELECTION, find: 'const REQUEST_SHARE = 0.5;', replace: 'const REQUEST_SHARE = 3;' },
      { file: ELECTION, find: 'limits.push(this.#term.deadlineMs);', replace: ';' },
    ],
  },
  {
    name: 'renewal after stop: the term goes on when the Lease has been released',
    edits: [
      {
        file: ELECTION,
        find: "this.#endTerm('yielded');\n        this.#nextAttemptMs",
        replace: 'this.#nextAttemptMs',
      },
    ],
  },
  {
    name: 'the wall clock is not compared: a suspended machine leads on',
    edits: [
      {
        file: MEMORY,
        find: 'micros(wallMs) < Atomics.load(this.cells, WALL_DEADLINE_US)',
        replace: 'true',
      },
    ],
  },
  {
    name: 'the identity alone decides whose record it is',
    edits: [
      {
        file: WRITES,
        find: 'return this.#renewTimes.includes(normalized(renewTime)) && !this.wasReplaced(lease);',
        replace: 'return true;',
      },
    ],
  },
  {
    name: 'a lease expires from when it was first seen, whatever has changed since',
    edits: [
      {
        file: OBSERVED,
        find: 'if (known?.uid !== uid || known?.resourceVersion !== resourceVersion)',
        replace: 'if (known === undefined)',
      },
    ],
  },
  {
    name: 'an update does not name the version that it replaces',
    edits: [
      {
        file: WRITES,
        find: 'metadata: withAnnotations(metadata, annotations),',
        replace: 'metadata: { ...withAnnotations(metadata, annotations), resourceVersion: undefined },',
      },
    ],
  },
  {
    name: 'a term lasts as long as the lease',
    edits: [
      {
        file: ELECTION,
        find: 'return { deadlineMs: nowMs + renewDeadlineMs, wallDeadlineMs: wallMs + renewDeadlineMs };',
        replace:
          'const { leaseDurationMs } = this.#options;\n' +
          'return { deadlineMs: nowMs + leaseDurationMs + 2500, wallDeadlineMs: wallMs + leaseDurationMs + 2500 };',
      },
    ],
  },
  {
    name: 'a Lease that was deleted is created at once',
    edits: [
      {
        file: ELECTION,
        find: 'this.#at.nowMs < this.#observed.creatableAtMs',
        replace: 'false',
      },
    ],
  },
  {
    name: 'a lease never expires',
    edits: [
      {
        file: OBSERVED,
        find: 'return this.#seenAtMs + this.#durationMs;',
        replace: 'return 1e12;',
      },
    ],
  },
];
