import { ApiServer } from '../api-server.js';
import { CheckingHandler } from './checking-handler.js';
import {
  close,
  converge,
  createEngine,
  createInformer,
  EngineContext,
  type SingleFault,
} from './engine-schedule.js';
import type { EngineSubject } from './engine-subject.js';
import { HttpFrontend } from './http-frontend.js';
import { InformerChecks } from './informer-checks.js';
import { SimNetwork } from './sim-network.js';
import { LARGE } from './sim-objects.js';
import { SimThreads } from './sim-threads.js';

/** Between two changes: longer than a batch is delayed. */
const PAUSE_MS = 20;
const OBJECTS = 8;
/** Steps between two checks: a check takes longer than a step. */
const CHECK_EVERY = 20;

export interface Script {
  readonly changes: number;
  /** Changes made at once. */
  readonly atOnce: number;
  /** Prefix of the objects' names. */
  readonly prefix: string;
}

/** Every change is one message. */
export const MESSAGE_SCRIPT: Script = { changes: 2100, atOnce: 1, prefix: 'obj' };
/** More than 100 KB. */
export const BYTE_SCRIPT: Script = { changes: 70, atOnce: 5, prefix: LARGE };

export interface SingleFaultResult {
  readonly violation: string | undefined;
  readonly bytes: number;
  readonly messages: number;
}

/** Runs the same list and the same changes with one fault: the cache must reach the server's state, without a relist. */
export async function runWithSingleFault(
  subject: EngineSubject,
  { changes, atOnce, prefix }: Script,
  singleFault: SingleFault,
): Promise<SingleFaultResult> {
  const context = new EngineContext({ seed: 1, steps: changes, subject }, []);
  const { clock, random } = context;
  const names = Array.from({ length: OBJECTS }, (_, index) => `${prefix}-${index}`);
  context.singleFault = singleFault;
  const server = new ApiServer(context);
  const network = new SimNetwork(context, new HttpFrontend(context, server).handle);
  const threads = new SimThreads(context, network);
  for (const name of names) server.write(name);
  server.catchUpAll();
  const engine = createEngine(context, threads);
  const informer = createInformer(context, engine, false);
  const checks = new InformerChecks(context, server, informer, names.length);
  const handler = new CheckingHandler(context, informer, { name: 'handler', hasResync: false });
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
    if (change % CHECK_EVERY === 0) checks.check();
  }
  await converge(context, server, checks, [handler]);
  checks.checkNoRelist();
  await close(context, engine, [handler]);
  return {
    violation: context.violations[0],
    bytes: context.bytesDelivered,
    messages: context.messagesPosted,
  };
}

/** Every `stride`th point, so that processes can share them. */
export async function* everySingleFault(
  subject: EngineSubject,
  kind: 'kill' | 'cut',
  { from, stride }: { readonly from: number; readonly stride: number },
): AsyncGenerator<{ readonly at: number; readonly last: number; readonly violation: string | undefined }> {
  const script = kind === 'kill' ? MESSAGE_SCRIPT : BYTE_SCRIPT;
  const { messages, bytes } = await runWithSingleFault(subject, script, {});
  const last = kind === 'kill' ? messages : bytes;
  for (let at = from; at <= last; at += stride) {
    const singleFault = kind === 'kill' ? { dieAfterMessage: at } : { cutBeforeByte: at - 1 };
    const { violation } = await runWithSingleFault(subject, script, singleFault);
    yield { at, last, violation };
  }
}
