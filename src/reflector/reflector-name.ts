import { fileURLToPath } from 'node:url';

/** This package's own directory: frames in it are not the call site. */
const OWN_DIRECTORY = fileURLToPath(new URL('..', import.meta.url));

let started = 0;

/** `file:line` of the caller outside of this package: what client-go names a reflector by default. */
export function callSite(): string {
  const frames = new Error().stack?.split('\n').slice(1) ?? [];
  for (const frame of frames) {
    const place = /\(?((?:file:\/\/)?[^\s()]+):(\d+):\d+\)?$/.exec(frame);
    if (place === null) continue;
    const [, address = '', line] = place;
    const file = address.startsWith('file://') ? fileURLToPath(address) : address;
    if (file.startsWith('node:') || file.startsWith(OWN_DIRECTORY)) continue;
    return `${file.split(/[\\/]/).slice(-2).join('/')}:${line}`;
  }
  return 'reflector';
}

/** Unique in this process and a valid Prometheus label, as client-go made it for metrics: `reflector_<name>_<n>`. */
export function uniqueReflectorId(name: string): string {
  started++;
  return `reflector_${name.replace(/[^a-zA-Z0-9_]/g, '_')}_${started}`;
}
