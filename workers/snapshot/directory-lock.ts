import { linkSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

const LOCK = 'lock';

/** Thrown if another process, or another engine of this one, has the directory. */
export class DirectoryLocked extends Error {}

/**
 * The right to use a directory of snapshots: a Unix socket in it on which this process listens. Unlike the number of a
 * process, that is true for containers, too, which share a volume but not their processes; and it ends with the process,
 * however that ends. A socket without a listener is one of a process that is gone.
 *
 * Every write asks `isHeld`: of two processes that both found the lock of a dead one, the later one keeps it.
 */
export class DirectoryLock {
  readonly #path: string;
  readonly #server: Server;
  readonly #inode: bigint;

  private constructor(path: string, server: Server, inode: bigint) {
    this.#path = path;
    this.#server = server;
    this.#inode = inode;
  }

  /** Rejects with `DirectoryLocked`, or what `fs` and `net` throw. @param suffix unique in the directory */
  static async take(directory: string, suffix: string): Promise<DirectoryLock> {
    const path = join(directory, LOCK);
    const own = join(directory, `${LOCK}.${suffix}`);
    const server = await listen(own);
    try {
      try {
        linkSync(own, path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        if (await isAnswered(path)) throw new DirectoryLocked('another process uses the directory');
        renameSync(own, path);
      }
      rmSync(own, { force: true });
      return new DirectoryLock(path, server, inodeOf(path));
    } catch (error) {
      server.close();
      rmSync(own, { force: true });
      throw error;
    }
  }

  get isHeld(): boolean {
    try {
      return inodeOf(this.#path) === this.#inode;
    } catch {
      return false;
    }
  }

  release(): void {
    if (this.isHeld) rmSync(this.#path, { force: true });
    this.#server.close();
  }
}

function inodeOf(path: string): bigint {
  return lstatSync(path, { bigint: true }).ino;
}

/** Connections are not accepted by anybody: that they can be made is enough. */
function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen({ path, backlog: 16 }, () => {
      server.unref();
      resolve(server);
    });
  });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // A full backlog is one of a process that is alive.
      if (error.code === 'EAGAIN') resolve(true);
      else if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT' || error.code === 'ENOTSOCK')
        resolve(false);
      else reject(error);
    });
  });
}
