import type { Worker } from 'node:worker_threads';
import type { Thread } from '#dist/src/pool/thread.js';
import type { Clock } from '#dist/src/util/clock.js';
import type { FromWorker, StreamRequest } from '#dist/src/wire/messages.js';
import type { EngineContext } from './engine-schedule.js';
import type { RemotePort } from './sim-channel.js';
import { SimAgents, type SimNetwork } from './sim-network.js';

/** The engine checks the heartbeat every eight seconds: beating more often would change nothing. */
const BEAT_MS = 5000;
const HEARTBEAT_TICKS = 0;

/** All threads of a run. */
export class SimThreads {
  readonly #context: EngineContext;
  readonly #network: SimNetwork;
  readonly #alive = new Set<SimThread>();

  constructor(context: EngineContext, network: SimNetwork) {
    this.#context = context;
    this.#network = network;
  }

  get alive(): number {
    return this.#alive.size;
  }

  readonly spawn = (): Thread => {
    if (this.#context.faults.strikes('worker-spawn-throws')) throw new Error('sim: cannot create a thread');
    const thread = new SimThread(this.#context, this.#network, () => this.#alive.delete(thread));
    this.#alive.add(thread);
    return thread;
  };

  /** Like `worker.terminate()`, at any point of the worker's code. */
  terminateOne(): void {
    const threads = [...this.#alive];
    if (threads.length > 0)
      this.#context.random.pick(threads).die(new this.#context.subject.ThreadExit(1), true);
  }
}

/** Runs the worker's code on this thread: its clock and its sockets stop when it dies. */
class SimThread implements Thread {
  readonly worker: Worker | undefined = undefined;
  readonly #context: EngineContext;
  readonly #network: SimNetwork;
  readonly #clock: ThreadClock;
  readonly #agents: SimAgents;
  readonly #environment: InstanceType<EngineContext['subject']['StreamEnvironment']>;
  readonly #onEnd: () => void;
  readonly #ports = new Set<RemotePort>();
  readonly #listeners: ((cause: unknown) => void)[] = [];
  readonly #rejections = new Set<(cause: unknown) => void>();
  /** Resolves when the worker's module is loaded. */
  readonly #loaded: Promise<void>;
  #isGone = false;

  constructor(context: EngineContext, network: SimNetwork, onEnd: () => void) {
    this.#context = context;
    this.#network = network;
    this.#onEnd = onEnd;
    this.#clock = new ThreadClock(context.clock);
    this.#agents = new SimAgents(network, this.#clock);
    const { HttpClient, DecoderFactory, StreamEnvironment } = context.subject;
    const httpClient = new HttpClient({ agents: this.#agents, clock: this.#clock });
    // Every thread has its own decoders; the WebAssembly memory is shared, since each would reserve gigabytes of addresses.
    const decoderFactory = new DecoderFactory(() => context.transcoder);
    this.#environment = new StreamEnvironment({ httpClient, clock: this.#clock, decoderFactory });
    this.#loaded = new Promise((resolve) => this.#clock.schedule(resolve, context.random.between(0, 50)));
  }

  utilization(): number {
    return 0;
  }

  async start(heartbeat: Int32Array): Promise<void> {
    const { faults, trace } = this.#context;
    await this.#loaded;
    if (faults.strikes('worker-start-fails')) throw new Error('sim: the module cannot be loaded');
    const beat = (): void => {
      Atomics.add(heartbeat, HEARTBEAT_TICKS, 1);
      this.#clock.schedule(beat, BEAT_MS);
    };
    beat();
    trace.count('path worker started');
  }

  run(request: StreamRequest): Promise<void> {
    const port = request.port as RemotePort;
    this.#ports.add(port);
    port.onPost = (message) => this.#strike(message, port);
    const running = this.#loaded.then(() => this.#context.subject.runStream(request, this.#environment));
    return new Promise((resolve, reject) => {
      this.#rejections.add(reject);
      running.then(resolve, reject).finally(() => {
        this.#rejections.delete(reject);
        this.#ports.delete(port);
      });
    });
  }

  onGone(listener: (cause: unknown) => void): void {
    this.#listeners.push(listener);
  }

  async end(): Promise<void> {
    this.#stop(false);
  }

  die(cause: Error, isPrefixCut: boolean): void {
    if (this.#isGone) return;
    const { clock, random, trace } = this.#context;
    trace.line(`a thread dies: ${cause.message}`);
    this.#stop(isPrefixCut);
    // The main thread may be notified of the closed ports before it is notified of the exit.
    clock.schedule(() => {
      for (const listener of this.#listeners) listener(cause);
      for (const reject of [...this.#rejections]) reject(cause);
    }, random.next() * 20);
  }

  /** The faults of a thread that posts a message. Returns true if the message is dropped. */
  #strike(message: FromWorker, port: RemotePort): boolean {
    const { faults, random, clock, trace } = this.#context;
    if (this.#clock.isStopped) return true;
    if (++this.#context.messagesPosted === this.#context.singleFault.dieAfterMessage) {
      clock.schedule(() => this.die(new Error('sim: died'), random.chance(0.5)), 0);
    }
    if (faults.strikes('worker-dies-before-message')) {
      this.die(new Error('sim: died'), random.chance(0.5));
      return true;
    }
    if (faults.strikes('worker-throws')) {
      for (const session of this.#environment.sessions) session.flushBeforeExit();
      this.die(new Error('sim: threw'), false);
      return true;
    }
    if (faults.strikes('worker-dies-after-message')) {
      clock.schedule(() => this.die(new Error('sim: died'), random.chance(0.5)), random.next() * 2);
    } else if (faults.strikes('worker-hangs')) {
      trace.line('a thread hangs');
      this.#clock.isStopped = true;
      return true;
    } else if (message.type === 'batch' && faults.strikes('worker-closes-port')) {
      port.die(false);
      return true;
    }
    return false;
  }

  #stop(isPrefixCut: boolean): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#clock.isStopped = true;
    this.#agents.isGone = true;
    for (const port of this.#ports) port.die(isPrefixCut);
    this.#network.abandon([...this.#agents.sockets]);
    this.#onEnd();
  }
}

/** The clock of a thread: after the thread has died its timers never fire. */
class ThreadClock implements Clock {
  readonly #clock: Clock;
  isStopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  schedule(callback: () => void, delayMs: number): { cancel(): void } {
    return this.#clock.schedule(() => {
      if (!this.isStopped) callback();
    }, delayMs);
  }

  async yield(): Promise<void> {
    await this.#clock.yield();
    if (this.isStopped) await new Promise<never>(() => {});
  }
}
