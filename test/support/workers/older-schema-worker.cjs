/**
 * A worker thread whose protobuf schema lacks some fields, so that a server looks newer than the package: the `workerFile`
 * of an engine, while `KUBEFLECT_TEST_REMOVED_FIELDS` has their names, as in `core.v1.ConfigMap.immutable`, separated by
 * spaces.
 */

const main = load();
// Reported by the calls below.
main.catch(() => {});

async function load() {
  const { protobufMessage } = await import('../../../dist/src/kube/protobuf-schema/protobuf-message.js');
  for (const removed of process.env.KUBEFLECT_TEST_REMOVED_FIELDS.split(' ')) {
    const at = removed.lastIndexOf('.');
    const message = protobufMessage(removed.slice(0, at));
    const rest = message.fields.filter(({ name }) => name !== removed.slice(at + 1));
    if (rest.length !== message.fields.length - 1) throw new Error(`the schema has no field ${removed}`);
    message.fields = rest;
  }
  return import('../../../dist/workers/main.js');
}

module.exports = {
  startThread: async (heartbeat) => (await main).startThread(heartbeat),
  runStream: async (request) => (await main).runStream(request),
};
