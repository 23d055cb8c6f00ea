import { describe, expect, it } from 'vitest';
import { ClusterIdentity } from '#dist/src/engine/cluster-identity.js';

const EXPIRED = expect.objectContaining({
  status: expect.objectContaining({ code: 410, reason: 'Expired' }),
});

const NOT_KNOWN_YET = expect.objectContaining({
  status: expect.objectContaining({ code: 429, reason: 'TooManyRequests' }),
  retryAfterMs: 1000,
});

/** Checks each of these, in order. */
function check(...watches: readonly (readonly string[])[]): void {
  const cluster = new ClusterIdentity();
  for (const admittedBy of watches) cluster.check(admittedBy);
}

describe('ClusterIdentity', () => {
  it.each([
    ['neither has changed', ['schema', 'level'], ['schema', 'level']],
    ['an administrator has added a flow schema for this user', ['schema', 'level'], ['new-schema', 'level']],
    [
      'an administrator has moved the flow schema to another level',
      ['schema', 'level'],
      ['schema', 'new-level'],
    ],
    ['the server names none', ['schema', 'level'], []],
    ['the server named none before', [], ['schema', 'level']],
  ])('takes the cluster for the same if %s', (_, before, after) => {
    expect(() => check(before, after)).not.toThrow();
  });

  it('takes a cluster whose flow schema and priority level are other ones for another', () => {
    expect(() => check(['schema', 'level'], ['other-schema', 'other-level'])).toThrow(EXPIRED);
  });

  it('compares with the last watch that named them', () => {
    const steps = [['a', '1'], ['b', '1'], [], ['b', '2']];
    expect(() => check(...steps)).not.toThrow();
    expect(() => check(...steps, [], ['a', '1'])).toThrow(EXPIRED);
  });

  it('does not accept a watch of a server that has just started and does not name them yet', () => {
    const cluster = new ClusterIdentity();
    cluster.check(['schema', 'level']);
    expect(() => cluster.check(['', ''])).toThrow(NOT_KNOWN_YET);
    expect(() => cluster.check(['schema', 'level'])).not.toThrow();
    expect(() => cluster.check(['', ''])).toThrow(NOT_KNOWN_YET);
    expect(() => cluster.check(['other-schema', 'other-level'])).toThrow(EXPIRED);
  });

  it('accepts such a watch the sixth time, and if nothing was known before', () => {
    const cluster = new ClusterIdentity();
    expect(() => cluster.check(['', ''])).not.toThrow();
    cluster.check(['schema', 'level']);
    for (let i = 0; i < 5; i++) expect(() => cluster.check(['', ''])).toThrow(NOT_KNOWN_YET);
    expect(() => cluster.check(['', ''])).not.toThrow();
    expect(() => cluster.check(['other-schema', 'other-level'])).toThrow(EXPIRED);
  });

  it('forgets what was before a list', () => {
    const cluster = new ClusterIdentity();
    cluster.check(['schema', 'level']);
    cluster.reset();
    expect(() => cluster.check(['other-schema', 'other-level'])).not.toThrow();
  });
});
