import { SERVER_FAULTS } from '../faults.js';

/** Besides what the server does wrong: spec names are those of the fault model, by where they strike. */
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
  // the main thread, and who proves that it may ask
  'main-stands-still',
  'token-rotated',
  'credentials-fail',
  // handlers
  'handler-throws',
  'handler-slow',
  'handler-hangs',
  // the network again: whatever is sent, on any connection, for a while
  'net-hole-for-all',
] as const;

/** What costs no list, for as long as the server still has the changes since. */
export const GENTLE_FAULTS: readonly EngineFault[] = [
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

/** What can take away the event by which a bookmark that was not true is found out: then nobody could ever know. */
export const HIDES_A_LIE: readonly EngineFault[] = [
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
