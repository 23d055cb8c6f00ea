/** What may go wrong; each run enables a random part of it. */
export const ELECTOR_FAULTS = [
  'request lost',
  'response lost after the commit',
  'error before the commit',
  'error after the commit',
  'slow request',
  'slow response',
  'partition',
  'server down',
  'process stopped',
  'main thread blocked',
  'machine suspended',
  'wall clock stepped forward',
  'wall clock stepped back',
  'clock an hour off',
  'clocks of different rates',
  'crash',
  'release',
  'same identity',
  'lease deleted',
] as const;

export type ElectorFault = (typeof ELECTOR_FAULTS)[number];

/** Paths of the election that a run of many seeds must have taken. */
export const ELECTOR_PATHS: readonly string[] = [
  'leading',
  'renewed',
  'slow-path',
  'lost deadline',
  'lost suspended',
  'lost owner-silent',
  'lost yielded',
  'lost deleted',
  'ended released',
  'ended release-failed',
  'create',
  'successor after a crash',
  'successor after a release',
];
