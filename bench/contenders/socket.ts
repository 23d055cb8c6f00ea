/** Reads the list in the encoding that kubeflect uses, and discards it: the lower bound for every informer. */
import { get } from 'node:http';
import { get as getSecurely, type RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { startMeasuring } from './measure.js';
import { type Encoding, printResult, readTask } from './task.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const task = readTask();
const kubeConfig = new KubeConfig();
kubeConfig.loadFromString(task.kubeConfig);
const server = kubeConfig.getCurrentCluster()?.server ?? '';
const isSecure = server.startsWith('https:');
const options: RequestOptions = {};
await kubeConfig.applyToHTTPSOptions(options);
if (!isSecure) delete options.agent;
options.headers = {
  ...options.headers,
  Accept: task.encoding === 'json' ? 'application/json' : PROTOBUF,
};
const measuring = startMeasuring();
let bytes = 0;
const encoding = await new Promise<Encoding>((resolve, reject) => {
  const request = isSecure ? getSecurely : get;
  request(`${server}/api/v1/pods?resourceVersion=0`, options, (response) => {
    if (response.statusCode !== 200) reject(new Error(`the response has status ${response.statusCode}`));
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    response.on('end', () => resolve(response.headers['content-type'] === PROTOBUF ? 'protobuf' : 'json'));
    response.on('error', reject);
  }).on('error', reject);
});
printResult({ ...(await measuring.stop()), encoding, bytes });
