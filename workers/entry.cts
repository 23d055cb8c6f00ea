/**
 * The file that piscina loads in a thread. CommonJS, because piscina tries `require` before `import`, and a thread that is ended while it
 * requires an ES module takes the process with it (Node 20.20: "v8::Module::IsGraphAsync must be used on an instantiated module").
 */

type Stream = typeof import('./main.js');

const stream: Promise<Stream> = import('./bundle/main.js');
// Whoever calls is told.
stream.catch(() => {});

const entry: Pick<Stream, 'startThread' | 'runStream'> = {
  startThread: async (heartbeat) => (await stream).startThread(heartbeat),
  runStream: async (request) => (await stream).runStream(request),
};

module.exports = entry;
