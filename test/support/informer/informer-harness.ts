import type { ResourceEventHandler } from '#dist/src/informer/handlers/event-handler.js';
import { SharedInformer } from '#dist/src/informer/shared-informer.js';
import type {
  ReflectorContext,
  SharedInformerOptions,
  StopOptions,
} from '#dist/src/informer/shared-informer-options.js';
import type { KubeflectError } from '#dist/src/util/errors.js';
import { SliceScheduler } from '#dist/src/util/slice-scheduler.js';
import type { Pod } from '../objects/entries.js';
import { VirtualClock } from '../time/virtual-clock.js';

export type HarnessOptions = Partial<SharedInformerOptions<Pod>> & { readonly itemsPerSlice?: number };

/** An informer whose reflector is the test. */
export class InformerHarness {
  readonly clock = new VirtualClock();
  readonly slices: SliceScheduler;
  readonly errors: KubeflectError[] = [];
  readonly informer: SharedInformer<Pod>;
  #context: ReflectorContext<Pod> | undefined;

  constructor({ itemsPerSlice, ...options }: HarnessOptions = {}) {
    this.slices = new SliceScheduler({ clock: this.clock, ...(itemsPerSlice ? { itemsPerSlice } : {}) });
    this.informer = new SharedInformer<Pod>({
      name: 'pods',
      clock: this.clock,
      slices: this.slices,
      onError: (error) => void this.errors.push(error),
      run: (context, signal) => {
        this.#context = context;
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      },
      ...options,
    });
  }

  get context(): ReflectorContext<Pod> {
    if (this.#context === undefined) throw new Error('start the informer first');
    return this.#context;
  }

  get store(): ReflectorContext<Pod>['store'] {
    return this.context.store;
  }

  /** Starts the informer, with a first list if one is given. */
  async start(list?: Parameters<ReflectorContext<Pod>['store']['replace']>): Promise<void> {
    this.informer.start();
    if (list !== undefined) this.store.replace(...list);
    await this.clock.drain();
  }

  /** Stops the informer and lets it come to an end, waiting for nobody who hangs. */
  async stop(options: Omit<StopOptions, 'timeoutMs'> = {}): Promise<void> {
    const stopped = this.informer.stop({ ...options, timeoutMs: 1 });
    await this.clock.advance(1);
    await stopped;
  }

  get codes(): string[] {
    return this.errors.map((error) => error.code);
  }
}

/** Writes down what it is told: `add a@1`, `add* a@1` in the initial list, `update a@1→2`, `resync a@2`, `delete a@3`, `delete? a@3` for tombstones. */
export class RecordingHandler implements ResourceEventHandler<Pod> {
  readonly told: string[] = [];

  onAdd: NonNullable<ResourceEventHandler<Pod>['onAdd']> = (entry, { isInInitialList }) => {
    this.told.push(`add${isInInitialList ? '*' : ''} ${entry.name}@${entry.resourceVersion}`);
  };

  onUpdate: NonNullable<ResourceEventHandler<Pod>['onUpdate']> = (before, after, { isResync }) => {
    this.told.push(
      isResync
        ? `resync ${after.name}@${after.resourceVersion}`
        : `update ${after.name}@${before.resourceVersion}→${after.resourceVersion}`,
    );
  };

  onDelete: NonNullable<ResourceEventHandler<Pod>['onDelete']> = (entry, { finalStateUnknown }) => {
    this.told.push(`delete${finalStateUnknown ? '?' : ''} ${entry.name}@${entry.resourceVersion}`);
  };

  /** What was told since the last call. */
  take(): string[] {
    return this.told.splice(0);
  }
}
