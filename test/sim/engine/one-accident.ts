import { ApiServer } from '../api-server.js';
import { CheckingHandler } from './checking-handler.js';
import {
  type Accident,
  close,
  converge,
  createEngine,
  createInformer,
  EngineWorld,
} from './engine-schedule.js';
import type { EngineSubject } from './engine-subject.js';
import { HttpFront } from './http-front.js';
import { InformerChecks } from './informer-checks.js';
import { SimNetwork } from './sim-network.js';
import { LARGE } from './sim-objects.js';
import { SimThreads } from './sim-threads.js';

/** Between two changes: more than a batch waits. */
const PAUSE_MS = 20;
const OBJECTS = 8;
/** Of steps: looking takes longer than the step. */
const LOOK_EVERY = 20;

export interface Script {
  readonly changes: number;
  /** Changes that come at once. */
  readonly atOnce: number;
  /** The names of the objects begin with it. */
  readonly prefix: string;
}

/** A message for each change. */
export const OF_MESSAGES: Script = { changes: 2100, atOnce: 1, prefix: 'obj' };
/** More than 100 KB of them. */
export const OF_BYTES: Script = { changes: 70, atOnce: 5, prefix: LARGE };

export interface OneAccident {
  readonly violation: string | undefined;
  readonly bytes: number;
  readonly messages: number;
}

/** Always the same list and the same changes, but for one accident: the store must be right in the end, and nothing listed twice. */
export async function runOneAccident(
  subject: EngineSubject,
  { changes, atOnce, prefix }: Script,
  accident: Accident,
): Promise<OneAccident> {
  const world = new EngineWorld({ seed: 1, steps: changes, subject }, []);
  const { clock, random } = world;
  const names = Array.from({ length: OBJECTS }, (_, index) => `${prefix}-${index}`);
  world.accident = accident;
  const server = new ApiServer(world);
  const network = new SimNetwork(world, new HttpFront(world, server).handle);
  const threads = new SimThreads(world, network);
  for (const name of names) server.write(name);
  server.catchUpAll();
  const engine = createEngine(world, threads);
  const informer = createInformer(world, engine, false);
  const checks = new InformerChecks(world, server, informer, names.length);
  const handler = new CheckingHandler(world, informer, { name: 'handler', hasResync: false });
  informer.addEventHandler(handler);
  informer.start();
  while (!informer.hasSynced) await clock.advance(1000);
  checks.check();
  for (let change = 0; change < changes; change++) {
    const name = random.pick(names);
    if (random.chance(0.2)) server.remove(name);
    else server.write(name);
    if ((change + 1) % atOnce !== 0) continue;
    server.catchUpAll();
    await clock.advance(PAUSE_MS);
    if (change % LOOK_EVERY === 0) checks.check();
  }
  await converge(world, server, checks, [handler]);
  checks.checkEconomy();
  await close(world, engine, [handler]);
  return {
    violation: world.violations[0],
    bytes: world.bytesDelivered,
    messages: world.messagesPosted,
  };
}

/** Every so many, so that processes can share them. */
export async function* everyAccident(
  subject: EngineSubject,
  kind: 'kill' | 'cut',
  { from, stride }: { readonly from: number; readonly stride: number },
): AsyncGenerator<{ readonly at: number; readonly last: number; readonly violation: string | undefined }> {
  const script = kind === 'kill' ? OF_MESSAGES : OF_BYTES;
  const { messages, bytes } = await runOneAccident(subject, script, {});
  const last = kind === 'kill' ? messages : bytes;
  for (let at = from; at <= last; at += stride) {
    const accident = kind === 'kill' ? { dieAfterMessage: at } : { cutBeforeByte: at - 1 };
    const { violation } = await runOneAccident(subject, script, accident);
    yield { at, last, violation };
  }
}
