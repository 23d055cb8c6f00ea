import type { Worker } from 'node:worker_threads';
import type { Thread } from '#dist/src/pool/thread.js';
import type { Clock } from '#dist/src/util/clock.js';
import type { FromWorker, StreamRequest } from '#dist/src/wire/messages.js';
import type { EngineWorld } from './engine-schedule.js';
import type { FarPort } from './sim-channel.js';
import { SimAgents, type SimNetwork } from './sim-network.js';

/** Its looks at the heartbeat are eight seconds apart: as good as a beat each tenth of a second. */
const BEAT_MS = 5000;
const HEARTBEAT_TICKS = 0;

/** All threads of a world, so that it can end any of them. */
export class SimThreads {
  readonly #world: EngineWorld;
  readonly #network: SimNetwork;
  readonly #alive = new Set<SimThread>();

  constructor(world: EngineWorld, network: SimNetwork) {
    this.#world = world;
    this.#network = network;
  }

  get alive(): number {
    return this.#alive.size;
  }

  readonly spawn = (): Thread => {
    if (this.#world.faults.strikes('worker-spawn-throws')) throw new Error('sim: no thread to be had');
    const thread = new SimThread(this.#world, this.#network, () => this.#alive.delete(thread));
    this.#alive.add(thread);
    return thread;
  };

  /** As `terminate` does, at whatever it is doing. */
  terminateOne(): void {
    const threads = [...this.#alive];
    if (threads.length > 0) this.#world.random.pick(threads).die(new this.#world.subject.ThreadExit(1), true);
  }
}

/** The code of the worker, on this thread: its clock and its sockets stop when it dies. */
class SimThread implements Thread {
  readonly worker: Worker | undefined = undefined;
  readonly #world: EngineWorld;
  readonly #network: SimNetwork;
  readonly #clock: MortalClock;
  readonly #agents: SimAgents;
  readonly #environment: InstanceType<EngineWorld['subject']['StreamEnvironment']>;
  readonly #onEnd: () => void;
  readonly #ports = new Set<FarPort>();
  readonly #listeners: ((cause: unknown) => void)[] = [];
  readonly #rejections = new Set<(cause: unknown) => void>();
  /** Its module is loaded. */
  readonly #loaded: Promise<void>;
  #isGone = false;

  constructor(world: EngineWorld, network: SimNetwork, onEnd: () => void) {
    this.#world = world;
    this.#network = network;
    this.#onEnd = onEnd;
    this.#clock = new MortalClock(world.clock);
    this.#agents = new SimAgents(network, this.#clock);
    const { HttpClient, DecoderFactory, StreamEnvironment } = world.subject;
    const httpClient = new HttpClient({ agents: this.#agents, clock: this.#clock });
    // A thread learns anew; only the module's memory is shared, which would be gigabytes of address space each.
    const decoderFactory = new DecoderFactory(() => world.transcoder);
    this.#environment = new StreamEnvironment({ httpClient, clock: this.#clock, decoderFactory });
    this.#loaded = new Promise((resolve) => this.#clock.schedule(resolve, world.random.between(0, 50)));
  }

  utilization(): number {
    return 0;
  }

  async start(heartbeat: Int32Array): Promise<void> {
    const { faults, trace } = this.#world;
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
    const port = request.port as FarPort;
    this.#ports.add(port);
    port.onPost = (message) => this.#strike(message, port);
    const running = this.#loaded.then(() => this.#world.subject.runStream(request, this.#environment));
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
    const { clock, random, trace } = this.#world;
    trace.line(`a thread dies: ${cause.message}`);
    this.#stop(isPrefixCut);
    // The ports may be known to be closed before the thread is known to be gone.
    clock.schedule(() => {
      for (const listener of this.#listeners) listener(cause);
      for (const reject of [...this.#rejections]) reject(cause);
    }, random.next() * 20);
  }

  /** What happens to the thread when it posts. True if the message is not. */
  #strike(message: FromWorker, port: FarPort): boolean {
    const { faults, random, clock, trace } = this.#world;
    if (this.#clock.isStopped) return true;
    if (++this.#world.messagesPosted === this.#world.accident.dieAfterMessage) {
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

/** The world's clock for as long as the thread lives: what it waits for after that never comes. */
class MortalClock implements Clock {
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
