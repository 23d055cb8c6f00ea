/** Of the one file that scripts/bundle-threads.ts makes of ../main.ts and everything that it imports. */
export * from '../main.js';
