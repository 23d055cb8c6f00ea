import { type ApiServerHandle, startApiServer } from '../../testing/index.js';
import { integer } from '../arguments/option-values.js';
import type { OptionTable, ParsedArguments } from '../arguments/parse-arguments.js';

const PODS_PER_NODE = 30;

/** For every command that runs the embedded API server; `pods` and `churn` are the defaults. */
export function serverOptions(pods: number, churn: number): OptionTable {
  return {
    pods: { value: 'n', default: String(pods), help: 'Number of generated pods' },
    churn: { value: 'n', default: String(churn), help: 'Pod changes per second' },
    port: { value: 'n', default: '0', help: 'Port of the server; 0 chooses a free one' },
    tls: { help: 'Serve https, with a generated certificate authority' },
  };
}

export interface EmbeddedServer {
  readonly server: ApiServerHandle;
  readonly pods: number;
  /** For people: its URL and contents. */
  readonly description: string;
}

/** Starts the server in a process of its own, with its pods and their nodes. Rejects with a `UsageError`. */
export async function startEmbeddedServer(parsed: ParsedArguments, token?: string): Promise<EmbeddedServer> {
  const pods = integer(parsed, 'pods', [0, 10_000_000], 0);
  const churnPerSecond = integer(parsed, 'churn', [0, 1_000_000], 0);
  const port = integer(parsed, 'port', [0, 65_535], 0);
  const server = await startApiServer({
    run: 'process',
    port,
    tls: parsed.flag('tls'),
    ...(token !== undefined && { token }),
  });
  try {
    if (pods > 0) {
      await server.populate({ kind: 'Node', count: Math.max(1, Math.round(pods / PODS_PER_NODE)) });
      await server.populate({ kind: 'Pod', count: pods, churnPerSecond });
    }
  } catch (error) {
    await server.close();
    throw error;
  }
  const contents = pods === 0 ? '' : ` with ${pods} pods, ${churnPerSecond} changes per second`;
  const description = `embedded API server, as Kubernetes ${server.gitVersion}, at ${server.url}${contents}`;
  return { server, pods, description };
}
