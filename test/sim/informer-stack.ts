import type { SharedInformer } from '#dist/src/informer/shared-informer.js';
import type { RunReflector } from '#dist/src/informer/shared-informer-options.js';
import { compareResourceVersion } from '#dist/src/kube/compare-resource-version.js';
import type { KubernetesObject } from '#dist/src/kube/object.js';
import type { Entry } from '#dist/src/store/entry.js';
import type { ReflectorContext } from './api-server.js';

/** A shared informer behind the checking store: its indexer and the folds of its handlers must reach the server's state. */
export class InformerStack {
  readonly #context: ReflectorContext;
  readonly #violations: string[];
  readonly #handlers: FoldingHandler[] = [];
  #informer: SharedInformer<KubernetesObject> | undefined;
  #isEnded = false;

  constructor(context: ReflectorContext, violations: string[]) {
    this.#context = context;
    this.#violations = violations;
  }

  /** Resolves when the informer has stopped. */
  async run(signal: AbortSignal, run: RunReflector<KubernetesObject>): Promise<void> {
    const { clock, random, trace, subject } = this.#context;
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
    const handler = new FoldingHandler(this.#context, (violation) => this.#violations.push(violation));
    this.#handlers.push(handler);
    this.#informer?.addEventHandler(handler, { name: `handler-${this.#handlers.length}` });
    this.#context.trace.count('path handler added');
  }

  /** From now on a call of a handler is a violation. */
  end(): void {
    this.#isEnded = true;
    for (const handler of this.#handlers) handler.isEnded = this.#isEnded;
  }

  get matchesServer(): boolean {
    const { history } = this.#context;
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

/** Folds its notifications into a state and reports impossible ones. Sometimes slow. */
class FoldingHandler {
  readonly fold = new Map<string, string>();
  readonly #context: ReflectorContext;
  readonly #violation: (message: string) => void;
  isEnded = false;

  constructor(context: ReflectorContext, violation: (message: string) => void) {
    this.#context = context;
    this.#violation = violation;
  }

  onAdd(entry: Entry): void | Promise<void> {
    if (this.fold.has(entry.key)) this.#violation(`add of ${entry.key} while it is present`);
    this.fold.set(entry.key, identity(entry));
    return this.#react(`add ${entry.key}@${entry.resourceVersion}`);
  }

  onUpdate(before: Entry, after: Entry): void | Promise<void> {
    const previous = this.fold.get(after.key);
    if (previous !== identity(before))
      this.#violation(`update of ${after.key} from ${identity(before)}, last notified of ${previous}`);
    const order = compareResourceVersion(after.resourceVersion, before.resourceVersion);
    if (order !== undefined && order < 0) this.#violation(`update of ${after.key} decreases its version`);
    this.fold.set(after.key, identity(after));
    return this.#react(`update ${after.key}@${after.resourceVersion}`);
  }

  onDelete(entry: Entry): void | Promise<void> {
    if (!this.fold.delete(entry.key)) this.#violation(`delete of ${entry.key} while it is absent`);
    return this.#react(`delete ${entry.key}@${entry.resourceVersion}`);
  }

  #react(line: string): void | Promise<void> {
    const { clock, random, trace } = this.#context;
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
