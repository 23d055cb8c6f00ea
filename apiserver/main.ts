/** Entry of the embedded API server, as a worker thread or as a child process. Plumbing only. */

import { parentPort, workerData } from 'node:worker_threads';
import { ApiServer } from './api-server.js';
import { createCertificateAuthority, issueCertificate } from './certificate.js';
import type { ControlRequest, ControlResponse, ServerReady } from './control/control-protocol.js';
import type { ResolvedServerOptions } from './control/server-options.js';
import { ControlService } from './control-service.js';
import { StatusError } from './status-error.js';

type Send = (message: ControlResponse | ServerReady) => void;

async function run(
  options: ResolvedServerOptions,
  send: Send,
  receive: (handle: (request: ControlRequest) => void) => void,
): Promise<void> {
  const identity = options.tls ? createIdentity() : undefined;
  const server = new ApiServer(options, identity);
  try {
    await server.listen();
  } catch (error) {
    send({ ready: false, error: error instanceof Error ? error.message : String(error) });
    return;
  }
  const service = new ControlService(server);
  receive(({ id, body }) => {
    service.call(body).then(
      (result) => send({ id, result }),
      (error: unknown) => send({ id, error: describe(error) }),
    );
  });
  send({ ready: true, port: server.port, ...(identity === undefined ? {} : { ca: identity.ca }) });
}

function createIdentity(): { key: string; cert: string; ca: string } {
  const now = new Date();
  const ca = createCertificateAuthority({ commonName: 'kubeflect embedded API server', now });
  const { privateKey, certificate } = issueCertificate(ca, {
    commonName: 'kube-apiserver',
    hosts: ['127.0.0.1', 'localhost', 'kubernetes.default.svc'],
    usage: 'server',
    now,
  });
  return { key: privateKey, cert: certificate, ca: ca.certificate };
}

function describe(error: unknown): { message: string; status?: unknown } {
  if (error instanceof StatusError) return { message: error.message, status: error.body };
  return { message: error instanceof Error ? error.message : String(error) };
}

if (parentPort !== null) {
  const port = parentPort;
  await run(
    (workerData as { options: ResolvedServerOptions }).options,
    (message) => port.postMessage(message),
    (handle) => port.on('message', handle),
  );
} else if (process.send !== undefined) {
  // Without its parent, nothing would ever stop this process.
  process.on('disconnect', () => process.exit(0));
  const options = await new Promise<ResolvedServerOptions>((resolve) => process.once('message', resolve));
  await run(
    options,
    (message) => process.send?.(message),
    (handle) => process.on('message', handle),
  );
}
