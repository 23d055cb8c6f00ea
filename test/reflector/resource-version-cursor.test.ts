import { describe, expect, it } from 'vitest';
import { ResourceVersionCursor } from '#dist/src/reflector/watch/resource-version-cursor.js';

const at = (synced: string, applied = synced, start = synced) =>
  new ResourceVersionCursor({ synced, applied }, start);

describe('ResourceVersionCursor', () => {
  it.each([
    ['newer', '10', '11', 'apply'],
    ['older', '10', '9', 'stale'],
    ['the same', '10', '10', 'stale'],
    ['newer by length', '9', '10', 'apply'],
    ['beyond 2^53', '9007199254740993', '9007199254740992', 'stale'],
    ['not comparable', '10', 'abc', 'apply'],
    ['after something not comparable', 'abc', '10', 'apply'],
  ])('judges an event that is %s', (_, applied, resourceVersion, verdict) => {
    expect(at(applied).judge('MODIFIED', 'a', resourceVersion)).toBe(verdict);
  });

  it('advances with applied events', () => {
    const cursor = at('10');
    cursor.advance('ADDED', 'a', '11');
    expect(cursor.position).toEqual({ synced: '11', applied: '11' });
    expect(cursor.judge('MODIFIED', 'a', '11')).toBe('stale');
  });

  it('lets two objects share a version, but not one object repeat it', () => {
    const cursor = at('10');
    cursor.advance('ADDED', 'a', '11');
    expect(cursor.judge('ADDED', 'b', '11')).toBe('apply');
    expect(cursor.judge('ADDED', 'a', '11')).toBe('stale');
  });

  it('advances only the synced version with a bookmark, and never back', () => {
    const cursor = at('10');
    expect(cursor.bookmark('20')).toBe(true);
    expect(cursor.position).toEqual({ synced: '20', applied: '10' });
    expect(cursor.bookmark('20')).toBe(true);
    expect(cursor.bookmark('15')).toBe(false);
    expect(cursor.position.synced).toBe('20');
  });

  // etcd#15220
  it('judges an event unsound that is older than a bookmark', () => {
    const cursor = at('10');
    cursor.bookmark('20');
    expect(cursor.judge('MODIFIED', 'a', '15')).toBe('unsound');
    expect(cursor.judge('MODIFIED', 'a', '20')).toBe('unsound');
    expect(cursor.judge('MODIFIED', 'a', '9')).toBe('stale');
    expect(cursor.judge('MODIFIED', 'a', '21')).toBe('apply');
  });

  // TestWatchListResourceVersion
  it.each(['', '0'])('ignores the versions of the synthetic ADDED events of a watch from %j', (start) => {
    const cursor = at('', '', start);
    for (const rv of ['7', '3', '5']) {
      expect(cursor.judge('ADDED', `k${rv}`, rv)).toBe('apply');
      cursor.advance('ADDED', `k${rv}`, rv);
    }
    expect(cursor.position.synced).toBe('');
    cursor.advance('MODIFIED', 'k3', '8');
    expect(cursor.position.synced).toBe('8');
    cursor.advance('ADDED', 'k9', '9');
    expect(cursor.position.synced).toBe('9');
    expect(cursor.judge('ADDED', 'k4', '4')).toBe('stale');
  });

  it('counts versions after a bookmark', () => {
    const cursor = at('', '', '0');
    cursor.bookmark('5');
    cursor.advance('ADDED', 'a', '6');
    expect(cursor.position.synced).toBe('6');
  });
});
