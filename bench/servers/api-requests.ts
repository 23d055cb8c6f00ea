/** Requests to any API server: the digest of its pods, and the creation of objects. */
import { type Agent, type RequestOptions, request } from 'node:https';
import { CoreV1Api, type KubeConfig } from '@kubernetes/client-node';
import { type DigestRow, digestOf } from '../contenders/measure.js';
import type { Digest } from '../contenders/task.js';

const PAGE_SIZE = 500;

/** Count and digest of all pods, from the server's own pages. */
export async function listedDigest(kubeConfig: KubeConfig): Promise<Digest> {
  return digestOf(await listedRows(kubeConfig));
}

/** The keys of all pods. */
export async function listedKeys(kubeConfig: KubeConfig): Promise<string[]> {
  return (await listedRows(kubeConfig)).map(({ key }) => key);
}

async function listedRows(kubeConfig: KubeConfig): Promise<DigestRow[]> {
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
  return rows;
}

/** Creates an object over one of the agent's connections; throws unless it was created. */
export async function create(
  kubeConfig: KubeConfig,
  agent: Agent,
  path: string,
  object: object,
): Promise<void> {
  await send(kubeConfig, agent, { method: 'POST', path, type: 'application/json', code: 201 }, object);
}

/** Sends a merge patch over one of the agent's connections; returns the body of the response. */
export function patch(kubeConfig: KubeConfig, agent: Agent, path: string, change: object): Promise<string> {
  const type = 'application/merge-patch+json';
  return send(kubeConfig, agent, { method: 'PATCH', path, type, code: 200 }, change);
}

interface Sending {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  /** The expected one. */
  readonly code: number;
}

async function send(
  kubeConfig: KubeConfig,
  agent: Agent,
  { method, path, type, code }: Sending,
  object: object,
): Promise<string> {
  const options: RequestOptions = { method, headers: { 'content-type': type } };
  await kubeConfig.applyToHTTPSOptions(options);
  const url = `${kubeConfig.getCurrentCluster()?.server}${path}`;
  return new Promise<string>((resolve, reject) => {
    const sent = request(url, { ...options, agent }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => {
        if (response.statusCode === code) resolve(body);
        else reject(new Error(`${method} ${path} failed with ${response.statusCode}: ${body.slice(0, 300)}`));
      });
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(object));
  });
}
