import { invalidOption } from '../util/check-options.js';

/** The parts of a path such as `/apis/apps/v1/namespaces/shop/deployments`. */
export interface Collection {
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  /** Selectors in the path's query, as client-node sent them with the watch. */
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
}

const PATH = /^\/(?:api\/([^/]+)|apis\/([^/]+\/[^/]+))(?:\/namespaces\/([^/]+))?\/([^/]+)\/?$/;

/**
 * Throws `KUBEFLECT_OPTION_INVALID` if it is not the path of a collection. Query parameters other than selectors are
 * ignored.
 */
export function parseCollectionPath(owner: string, path: string): Collection {
  const question = path.indexOf('?');
  const match = PATH.exec(question === -1 ? path : path.slice(0, question));
  const [, core, grouped, namespace, plural] = match ?? [];
  const apiVersion = core ?? grouped;
  if (apiVersion === undefined || plural === undefined || plural === 'watch') {
    const example = '/api/v1/pods or /apis/apps/v1/namespaces/shop/deployments';
    throw invalidOption(
      owner,
      `path must be that of a collection, such as ${example}, got ${JSON.stringify(path)}`,
    );
  }
  const query = new URLSearchParams(question === -1 ? '' : path.slice(question));
  return {
    apiVersion,
    plural,
    namespace: namespace && decodeURIComponent(namespace),
    labelSelector: query.get('labelSelector') ?? undefined,
    fieldSelector: query.get('fieldSelector') ?? undefined,
  };
}
