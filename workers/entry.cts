/**
 * The file that piscina loads in a thread. CommonJS, because piscina tries `require` before `import`, and a thread that
 * is terminated while it requires an ES module takes the process with it (Node 20.20: "v8::Module::IsGraphAsync must be
 * used on an instantiated module").
 */

type Main = typeof import('./main.js');

const main: Promise<Main> = import('./bundle/main.js');
// Reported by the calls below.
main.catch(() => {});

const entry: Pick<Main, 'startThread' | 'runStream' | 'holdLease' | 'requestLease'> = {
  startThread: async (heartbeat) => (await main).startThread(heartbeat),
  runStream: async (request) => (await main).runStream(request),
  holdLease: async (task) => (await main).holdLease(task),
  requestLease: async (request) => (await main).requestLease(request),
};

module.exports = entry;
