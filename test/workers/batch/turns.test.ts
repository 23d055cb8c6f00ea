import { describe, expect, it } from 'vitest';
import { Turns } from '#dist/workers/batch/turns.js';

describe('Turns', () => {
  it('gives those who work long their turns one after the other, and timers theirs in between', async () => {
    const turns = new Turns();
    const order: string[] = [];
    const work = async (name: string): Promise<void> => {
      for (let i = 0; i < 3; i++) {
        await turns.next();
        order.push(name);
        const endMs = performance.now() + 12;
        while (performance.now() < endMs);
        expect(turns.isOver).toBe(true);
      }
    };
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    await Promise.all([work('a'), work('b'), work('c')]);
    clearInterval(timer);
    expect(order.join('')).toBe('abcabcabc');
    expect(ticks).toBeGreaterThan(3);
  });

  it('lets those who work little go on', async () => {
    const turns = new Turns();
    await turns.next();
    expect(turns.isOver).toBe(false);
  });
});
