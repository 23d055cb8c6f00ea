import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { DirectoryFiles } from '../../src/snapshot/directory-files.js';
import { collectGarbage } from './collect-garbage.js';
import { DirectoryLock } from './directory-lock.js';
import type { SnapshotEnvironment } from './snapshot-service.js';

const DIRECTORY_MODE = 0o700;

/** Directories of the file system. */
export const systemSnapshots: SnapshotEnvironment = {
  async openDirectory(directory) {
    mkdirSync(directory, { recursive: true, mode: DIRECTORY_MODE });
    if (!lstatSync(`${directory}/.`).isDirectory()) throw new Error('not a directory');
    const lock = await DirectoryLock.take(directory, randomBytes(6).toString('hex'));
    return {
      files: new DirectoryFiles(directory),
      get isHeld() {
        return lock.isHeld;
      },
      release: () => lock.release(),
    };
  },
  randomBytes,
  collectGarbage,
};
