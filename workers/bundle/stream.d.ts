/** Of the one file that scripts/bundle-worker.mjs makes of ../stream.ts and everything that it imports. */
export * from '../stream.js';
