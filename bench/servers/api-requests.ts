/** Requests to any API server: the digest of its pods, and the creation of objects. */
import { type Agent, type RequestOptions, request } from 'node:https';
import { CoreV1Api, type KubeConfig } from '@kubernetes/client-node';
import { type DigestRow, digestOf } from '../contenders/measure.js';
import type { Digest } from '../contenders/task.js';

const PAGE_SIZE = 500;

/** Count and digest of all pods, from the server's own pages. */
export async function listedDigest(kubeConfig: KubeConfig): Promise<Digest> {
  const core = kubeConfig.makeApiClient(CoreV1Api);
  const rows: DigestRow[] = [];
  let next: string | undefined;
  do {
    const page = await core.listPodForAllNamespaces({
      limit: PAGE_SIZE,
      ...(next === undefined ? {} : { _continue: next }),
    });
    for (const { metadata } of page.items) {
      rows.push({
        key: `${metadata?.namespace}/${metadata?.name}`,
        uid: metadata?.uid,
        resourceVersion: metadata?.resourceVersion,
      });
    }
    next = page.metadata?._continue || undefined;
  } while (next !== undefined);
  return digestOf(rows);
}

/** Creates an object over one of the agent's connections; throws unless it was created. */
export async function create(
  kubeConfig: KubeConfig,
  agent: Agent,
  path: string,
  object: object,
): Promise<void> {
  const options: RequestOptions = { method: 'POST', headers: { 'content-type': 'application/json' } };
  await kubeConfig.applyToHTTPSOptions(options);
  const url = `${kubeConfig.getCurrentCluster()?.server}${path}`;
  await new Promise<void>((resolve, reject) => {
    const sent = request(url, { ...options, agent }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => {
        if (response.statusCode === 201) resolve();
        else reject(new Error(`creating ${path} failed with ${response.statusCode}: ${body.slice(0, 300)}`));
      });
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(object));
  });
}
