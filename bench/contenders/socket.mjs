/** Reads the list, encoded as kubeflect asks for it, and throws it away: what no informer can be faster than. */
import { get } from 'node:http';
import { get as getSecurely } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { report, startMeasuring } from './measure.mjs';
import { readTask } from './task.mjs';

const { kubeConfig: text, encoding } = readTask();
const kubeConfig = new KubeConfig();
kubeConfig.loadFromString(text);
const { server } = kubeConfig.getCurrentCluster();
const type = encoding === 'json' ? 'application/json' : 'application/vnd.kubernetes.protobuf';
const options = {};
await kubeConfig.applyToHTTPSOptions(options);
if (!server.startsWith('https:')) delete options.agent;
options.headers = { ...options.headers, Accept: type };
const measure = startMeasuring();
let bytes = 0;
await new Promise((resolve, reject) => {
  const ask = server.startsWith('https:') ? getSecurely : get;
  ask(`${server}/api/v1/pods?resourceVersion=0`, options, (response) => {
    if (response.statusCode !== 200) reject(new Error(`the server answered ${response.statusCode}`));
    response.on('data', (chunk) => {
      bytes += chunk.length;
    });
    response.on('end', resolve);
    response.on('error', reject);
  }).on('error', reject);
});
report({ ...(await measure.stop()), bytes });
