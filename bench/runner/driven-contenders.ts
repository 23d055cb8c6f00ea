/** The contenders of cases that keep them running, by name. */
import type { Encoding } from '../contenders/task.js';
import { CONTENDERS_FOLDER } from './contenders.js';
import { type DrivenContender, DrivenProcess } from './driven-process.js';
import { type Peer, peerProgram } from './peer-programs.js';

export interface DrivenDefinition {
  readonly name: string;
  readonly encoding: Encoding;
  start(): DrivenContender;
}

type PeerDefinition = ({ readonly script: string } | { readonly peer: Peer }) & {
  readonly encoding: Encoding;
};

const PEERS: ReadonlyMap<string, PeerDefinition> = new Map<string, PeerDefinition>(
  Object.entries({
    'client-node': { script: 'client-node-driven', encoding: 'json' },
    'client-go': { peer: 'client-go', encoding: 'json' },
    'client-go-protobuf': { peer: 'client-go', encoding: 'protobuf' },
    // It has no protobuf.
    'kube-rs': { peer: 'kube-rs', encoding: 'json' },
  } satisfies Record<string, PeerDefinition>),
);

/** kubeflect in these encodings, then the peers of these names. Programs are built if need be. */
export async function drivenContenders(
  encodings: readonly Encoding[],
  peers: readonly string[],
): Promise<DrivenDefinition[]> {
  const contenders = encodings.map((encoding) => ({
    name: encodings.length > 1 ? `kubeflect-${encoding}` : 'kubeflect',
    encoding,
    start: () => startScript('kubeflect-driven'),
  }));
  for (const name of new Set(peers)) {
    const definition = PEERS.get(name);
    if (definition === undefined)
      throw new Error(`unknown contender ${name}; expected one of ${[...PEERS.keys()].join(', ')}`);
    const { encoding } = definition;
    if ('script' in definition) {
      contenders.push({ name, encoding, start: () => startScript(definition.script) });
    } else {
      const program = await peerProgram(definition.peer);
      contenders.push({ name, encoding, start: () => DrivenProcess.ofProgram(name, program) });
    }
  }
  return contenders;
}

function startScript(script: string): DrivenContender {
  return DrivenProcess.ofScript(new URL(`${script}.js`, CONTENDERS_FOLDER));
}
