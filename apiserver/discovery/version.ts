/** The body of `/version`, in the key order of the wire; it is sent pretty and without a newline at the end. */

import { EMULATED_VERSION } from '../control/server-options.js';

export interface VersionOptions {
  /**
   * What the server calls itself. Clients read the features they may use off it.
   * @default 'v1.37.1'
   */
  readonly gitVersion?: string;
}

/** The fields about emulation were added in this minor version. */
const EMULATION_SINCE = 33;

export function versionBody({
  gitVersion = EMULATED_VERSION,
}: VersionOptions = {}): Readonly<Record<string, string>> {
  const [, major = '', minor = ''] = /^v([0-9]+)\.([0-9]+)/.exec(gitVersion) ?? [];
  const emulation = {
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
  };
  return {
    major,
    minor,
    ...(Number(minor) >= EMULATION_SINCE ? emulation : {}),
    gitVersion,
    gitCommit: '$Format:%H$',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: 'go1.26.8',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}
