/** Of the one file that scripts/bundle-worker.mjs makes of ../main.ts and everything that it imports. */
export * from '../main.js';
