// The worker of the package, but for its first election: the thread hangs soon after that has begun.
const entry = require('../../../dist/workers/entry.cjs');

const HANGS_AFTER_MS = 700;

module.exports = {
  ...entry,
  holdLease: (task) => {
    if (task.terms === 0) {
      setTimeout(() => {
        for (;;);
      }, HANGS_AFTER_MS);
    }
    return entry.holdLease(task);
  },
};
