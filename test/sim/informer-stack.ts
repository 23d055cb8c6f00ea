import type { SharedInformer } from '#dist/src/informer/shared-informer.js';
import type { RunReflector } from '#dist/src/informer/shared-informer-options.js';
import { compareResourceVersion } from '#dist/src/kube/compare-resource-version.js';
import type { KubernetesObject } from '#dist/src/kube/object.js';
import type { Entry } from '#dist/src/store/entry.js';
import type { World } from './api-server.js';

/** A shared informer at the end of the way: its store and the folds of its handlers must end up as the server (S9-S11, L2, L4). */
export class InformerStack {
  readonly #world: World;
  readonly #violations: string[];
  readonly #handlers: FoldingHandler[] = [];
  #informer: SharedInformer<KubernetesObject> | undefined;
  #isEnded = false;

  constructor(world: World, violations: string[]) {
    this.#world = world;
    this.#violations = violations;
  }

  /** Resolves when the informer has stopped. */
  async run(signal: AbortSignal, run: RunReflector<KubernetesObject>): Promise<void> {
    const { clock, random, trace, subject } = this.#world;
    const slices = new subject.SliceScheduler({ clock, itemsPerSlice: random.between(1, 20) });
    const informer = new subject.SharedInformer<KubernetesObject>({
      run,
      name: 'sim',
      clock,
      slices,
      resyncPeriodMs: random.pick([0, 30_000]),
      mergeAbove: random.pick([1, 1024]),
      onError: (error) => trace.line(`informer error ${error.code}`),
    });
    this.#informer = informer;
    this.addHandler();
    informer.start();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await informer.stop();
  }

  addHandler(): void {
    const handler = new FoldingHandler(this.#world, (violation) => this.#violations.push(violation));
    this.#handlers.push(handler);
    this.#informer?.addEventHandler(handler, { name: `handler-${this.#handlers.length}` });
    this.#world.trace.count('path handler added');
  }

  /** From now on no handler may be called. */
  end(): void {
    this.#isEnded = true;
    for (const handler of this.#handlers) handler.isEnded = this.#isEnded;
  }

  get isRight(): boolean {
    const { history } = this.#world;
    const expected = new Map<string, string>();
    for (const { name, uid, resourceVersion } of history.stateAt(history.latest).values()) {
      expected.set(`sim/${name}`, `${uid}@${resourceVersion}`);
    }
    const stored = new Map(
      this.#informer?.indexer.list().map((entry) => [entry.key as string, identity(entry)]),
    );
    return [stored, ...this.#handlers.map((handler) => handler.fold)].every((view) =>
      isEqual(view, expected),
    );
  }
}

/** Believes what it is told, and finds fault with what cannot be. Sometimes slow. */
class FoldingHandler {
  readonly fold = new Map<string, string>();
  readonly #world: World;
  readonly #violation: (text: string) => void;
  isEnded = false;

  constructor(world: World, violation: (text: string) => void) {
    this.#world = world;
    this.#violation = violation;
  }

  onAdd(entry: Entry): void | Promise<void> {
    if (this.fold.has(entry.key)) this.#violation(`add of ${entry.key} while it is present`);
    this.fold.set(entry.key, identity(entry));
    return this.#react(`add ${entry.key}@${entry.resourceVersion}`);
  }

  onUpdate(before: Entry, after: Entry): void | Promise<void> {
    const known = this.fold.get(after.key);
    if (known !== identity(before))
      this.#violation(`update of ${after.key} from ${identity(before)}, told ${known}`);
    const order = compareResourceVersion(after.resourceVersion, before.resourceVersion);
    if (order !== undefined && order < 0) this.#violation(`update of ${after.key} goes back`);
    this.fold.set(after.key, identity(after));
    return this.#react(`update ${after.key}@${after.resourceVersion}`);
  }

  onDelete(entry: Entry): void | Promise<void> {
    if (!this.fold.delete(entry.key)) this.#violation(`delete of ${entry.key} while it is absent`);
    return this.#react(`delete ${entry.key}@${entry.resourceVersion}`);
  }

  #react(line: string): void | Promise<void> {
    const { clock, random, trace } = this.#world;
    if (this.isEnded) this.#violation(`${line} after the end`);
    trace.line(`handler ${line}`);
    if (!random.chance(0.02)) return undefined;
    trace.count('path slow handler');
    return new Promise((resolve) => clock.schedule(resolve, random.between(1, 10_000)));
  }
}

function identity(entry: Entry): string {
  return `${entry.uid}@${entry.resourceVersion}`;
}

function isEqual(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}
