/** Starts the embedded API server. The only file of the suite that depends on it. */

import { type ServerOptions, startApiServer } from 'kubeflect/testing';

export interface EmbeddedServer {
  readonly kubeConfig: string;
  close(): Promise<void>;
}

export async function startEmbedded(options: ServerOptions = {}): Promise<EmbeddedServer> {
  const server = await startApiServer(options);
  return { kubeConfig: server.kubeConfig, close: () => server.close() };
}
