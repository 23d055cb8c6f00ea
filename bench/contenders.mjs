/** Who can be compared: how each is started, and what of the task is its own. */
import { fileURLToPath } from 'node:url';
import { peerProgram } from './peers.mjs';

const CONTENDERS = {
  kubeflect: { script: 'kubeflect.mjs' },
  // By either decoder what the peers read, which know JSON only.
  'kubeflect-simd': { script: 'kubeflect.mjs', task: { decoder: 'simd', encoding: 'json' } },
  'kubeflect-json': { script: 'kubeflect.mjs', task: { decoder: 'json', encoding: 'json' } },
  'client-node': { script: 'client-node.mjs' },
  // Streaming list, its default since 1.35; and the list before that, from the cache of the server.
  'client-go': { peer: 'client-go', task: { encoding: 'json' } },
  'client-go-list': {
    peer: 'client-go',
    task: { encoding: 'json' },
    environment: { KUBE_FEATURE_WatchListClient: 'false' },
  },
  'client-go-protobuf': { peer: 'client-go', task: { encoding: 'protobuf' } },
  'kube-rs-stream': { peer: 'kube-rs', task: { list: 'stream' } },
  'kube-rs-paged': { peer: 'kube-rs', task: { list: 'paged', pageSize: 500 } },
  socket: { script: 'socket.mjs' },
};

const GROUPS = { 'kube-rs': ['kube-rs-stream', 'kube-rs-paged'] };

export const CONTENDER_NAMES = [...Object.keys(CONTENDERS), ...Object.keys(GROUPS)];

/** The contenders by their names, in order and each once, built if need be; ours first. */
export async function contendersOf(names) {
  const wanted = new Set(['kubeflect', ...names.flatMap((name) => GROUPS[name] ?? [name])]);
  const contenders = [];
  for (const name of wanted) {
    const { script, peer, task = {}, environment = {} } = lookUp(name);
    const command =
      peer === undefined
        ? [process.execPath, fileURLToPath(new URL(`contenders/${script}`, import.meta.url))]
        : [await peerProgram(peer)];
    contenders.push({ name, command, task, environment });
  }
  return contenders;
}

function lookUp(name) {
  if (!Object.hasOwn(CONTENDERS, name))
    throw new Error(`there is no contender ${name}; known are ${CONTENDER_NAMES.join(', ')}`);
  return CONTENDERS[name];
}
