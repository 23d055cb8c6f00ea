/** Chooses loopback ports that a restarted server can use again. */

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below Linux's range for outgoing connections (32768 on): a port from there could be taken by any client on the machine
 * while the server that owns it is down.
 */
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;
const ATTEMPTS = 50;

/** A port that is free now; another process may still take it before the caller does. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
    if (await isPortFree(port)) return port;
  }
  throw new Error(
    `none of ${ATTEMPTS} ports tried from ${LOWEST_PORT} to ${HIGHEST_PORT} is free on 127.0.0.1`,
  );
}

export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
