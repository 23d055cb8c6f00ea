import { SERVER_FAULTS } from '../faults.js';

/** The faults of the engine scenario: those of the server, and others by where they occur. */
export const ENGINE_FAULTS = [
  ...SERVER_FAULTS,
  // the network
  'net-refused',
  'net-connect-hangs',
  'net-latency',
  'net-sliced',
  'net-cut',
  'net-reset',
  'net-black-hole',
  'net-trickle',
  'net-late-headers',
  'net-ends-in-line',
  'net-idle-socket-closed',
  'net-proxy-answers',
  'net-redirect',
  // workers
  'worker-dies-before-message',
  'worker-dies-after-message',
  'worker-throws',
  'worker-hangs',
  'worker-start-fails',
  'worker-spawn-throws',
  'worker-closes-port',
  'message-late',
  'message-repeated',
  'message-of-another-epoch',
  // the main thread and its credentials
  'main-stands-still',
  'token-rotated',
  'credentials-fail',
  // handlers
  'handler-throws',
  'handler-slow',
  'handler-hangs',
  // the network again: everything sent on any connection is lost for a while
  'net-hole-for-all',
] as const;

/** Faults after which a watch can be resumed without a list, as long as the server still has the history. */
export const RESUMABLE_FAULTS: readonly EngineFault[] = [
  'net-latency',
  'net-sliced',
  'net-cut',
  'net-reset',
  'worker-dies-before-message',
  'worker-dies-after-message',
  'worker-throws',
  'worker-hangs',
  'worker-closes-port',
  'message-late',
  'message-repeated',
  'message-of-another-epoch',
  'handler-throws',
  'handler-slow',
  'handler-hangs',
  'net-hole-for-all',
];

/** Faults that can lose the event that contradicts a false bookmark: then no client could detect it. */
export const HIDE_FALSE_BOOKMARKS: readonly EngineFault[] = [
  'net-cut',
  'net-reset',
  'net-black-hole',
  'net-trickle',
  'worker-dies-before-message',
  'worker-dies-after-message',
  'worker-throws',
  'worker-hangs',
  'worker-closes-port',
  'message-late',
  'main-stands-still',
  'net-hole-for-all',
];

export type EngineFault = (typeof ENGINE_FAULTS)[number];
