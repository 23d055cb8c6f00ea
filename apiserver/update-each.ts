import type { ApiServer } from './api-server.js';
import { type Churn, updateRendered } from './churn.js';
import type { RenderedSet } from './generators/rendered-set.js';
import type { Resource } from './resources/resource.js';

const TICK_MS = 20;

export interface UpdateEachOptions {
  readonly resource: Resource;
  readonly set: RenderedSet;
  readonly perSecond: number;
  readonly onDone: () => void;
}

/** Changes every object of a populated set once, in random order, at a steady rate. */
export function updateEach(
  server: ApiServer,
  { resource, set, perSecond, onDone }: UpdateEachOptions,
): Churn {
  const { environment } = server.state;
  const order = shuffled(set.count, () => environment.random());
  let done = 0;
  const timer = setInterval(() => {
    const end = Math.min(order.length, done + Math.ceil((perSecond * TICK_MS) / 1000));
    for (; done < end; done++) updateRendered(server, resource, set, order[done] ?? 0);
    if (done < order.length) return;
    clearInterval(timer);
    onDone();
  }, TICK_MS);
  return {
    stop() {
      clearInterval(timer);
      onDone();
    },
  };
}

function shuffled(count: number, random: () => number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0];
  }
  return order;
}
