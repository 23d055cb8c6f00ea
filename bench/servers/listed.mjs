/** Count and digest of the pods of any API server, from its own pages. */
import { request } from 'node:https';
import { CoreV1Api } from '@kubernetes/client-node';
import { digestOf } from '../contenders/measure.mjs';

const PAGE = 500;

export async function listedDigest(kubeConfig) {
  const core = kubeConfig.makeApiClient(CoreV1Api);
  const rows = [];
  let next;
  do {
    const page = await core.listPodForAllNamespaces({ limit: PAGE, _continue: next });
    for (const { metadata } of page.items) {
      rows.push({
        key: `${metadata?.namespace}/${metadata?.name}`,
        uid: metadata?.uid,
        resourceVersion: metadata?.resourceVersion,
      });
    }
    next = page.metadata?._continue;
  } while (next);
  return digestOf(rows);
}

/** One JSON body sent, the answer's status and text back, over the agent's connections. */
export async function post(kubeConfig, agent, path, body) {
  const options = { method: 'POST', headers: { 'content-type': 'application/json' } };
  await kubeConfig.applyToHTTPSOptions(options);
  return new Promise((resolve, reject) => {
    const sent = request(
      `${kubeConfig.getCurrentCluster()?.server}${path}`,
      { ...options, agent },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode, text }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
