/** The contenders by name: how each is started, and its part of the task. */
import { fileURLToPath } from 'node:url';
import type { Task } from '../contenders/task.js';
import { type Peer, peerProgram } from './peer-programs.js';

export interface Contender {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly task: Partial<Task>;
  readonly environment: Readonly<Record<string, string>>;
}

type Definition = ({ readonly script: string } | { readonly peer: Peer }) &
  Partial<Pick<Contender, 'task' | 'environment'>>;

const CONTENDERS: ReadonlyMap<string, Definition> = new Map<string, Definition>(
  Object.entries({
    // By default: protobuf where the server has it.
    kubeflect: { script: 'kubeflect' },
    'kubeflect-simd': { script: 'kubeflect', task: { decoder: 'simd', encoding: 'json' } },
    'kubeflect-json': { script: 'kubeflect', task: { decoder: 'json', encoding: 'json' } },
    'client-node': { script: 'client-node', task: { encoding: 'json' } },
    // Both with a streaming list, client-go's default since 1.35. Protobuf is its default for built-in kinds.
    'client-go-protobuf': { peer: 'client-go', task: { encoding: 'protobuf' } },
    'client-go-json': { peer: 'client-go', task: { encoding: 'json' } },
    // The list before 1.35, from the server's cache.
    'client-go-list': {
      peer: 'client-go',
      task: { encoding: 'json' },
      environment: { KUBE_FEATURE_WatchListClient: 'false' },
    },
    'kube-rs-stream': { peer: 'kube-rs', task: { list: 'stream', encoding: 'json' } },
    'kube-rs-paged': { peer: 'kube-rs', task: { list: 'paged', pageSize: 500, encoding: 'json' } },
    socket: { script: 'socket' },
  } satisfies Record<string, Definition>),
);

const GROUPS: ReadonlyMap<string, readonly string[]> = new Map([
  ['client-go', ['client-go-protobuf', 'client-go-json']],
  ['kube-rs', ['kube-rs-stream', 'kube-rs-paged']],
]);

/** Of the compiled programs. */
export const CONTENDERS_FOLDER: URL = new URL('../contenders/', import.meta.url);

/** The contender that every case measures. */
export function kubeflect(folder: URL = CONTENDERS_FOLDER): Contender {
  const file = fileURLToPath(new URL('kubeflect.js', folder));
  return { name: 'kubeflect', command: [process.execPath, file], task: {}, environment: {} };
}

export function scriptContender(name: string, script: string, task: Partial<Task> = {}): Contender {
  const file = fileURLToPath(new URL(`${script}.js`, CONTENDERS_FOLDER));
  return { name, command: [process.execPath, file], task, environment: {} };
}

/**
 * kubeflect, then the contenders of these names, in order and without duplicates. Programs of peers are built if need
 * be.
 */
export async function contendersOf(names: readonly string[]): Promise<Contender[]> {
  const unique = new Set(['kubeflect', ...names.flatMap((name) => GROUPS.get(name) ?? [name])]);
  const contenders: Contender[] = [];
  for (const name of unique) {
    const definition = CONTENDERS.get(name);
    if (definition === undefined) {
      const expected = [...CONTENDERS.keys(), ...GROUPS.keys()].join(', ');
      throw new Error(`unknown contender ${name}; expected one of ${expected}`);
    }
    const { task = {}, environment = {} } = definition;
    if ('script' in definition) contenders.push(scriptContender(name, definition.script, task));
    else contenders.push({ name, command: [await peerProgram(definition.peer)], task, environment });
  }
  return contenders;
}
