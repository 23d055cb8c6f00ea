import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Ring } from '#dist/src/store/queue/ring.js';

it('a Ring behaves like an array under any pushes and shifts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: -300, max: -1 }))),
      (steps) => {
        const ring = new Ring<number>();
        const model: number[] = [];
        let next = 0;
        for (const step of steps) {
          for (let i = 0; i < Math.abs(step); i++) {
            if (step > 0) {
              ring.push(next);
              model.push(next++);
            } else {
              expect(ring.shift()).toBe(model.shift());
            }
          }
          expect(ring.length).toBe(model.length);
          expect(ring.peek()).toBe(model[0]);
          expect(ring.last()).toBe(model.at(-1));
        }
      },
    ),
    { numRuns: 40, seed: 1 },
  );
});
