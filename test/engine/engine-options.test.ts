import { availableParallelism } from 'node:os';
import { Engine, type EngineOptions } from 'kubeflect';
import { describe, expect, it } from 'vitest';
import { resolveEngineOptions } from '#dist/src/engine/engine-options.js';
import { resolveInformerOptions } from '#dist/src/engine/informer-options.js';

const CONNECTION = { server: 'https://10.0.0.1:6443', headers: {} };

const PLUGIN = { apiVersion: 'client.authentication.k8s.io/v1', command: 'login' };

const kubeConfig = (cluster: object | null, user: object | null): never =>
  ({ getCurrentCluster: () => cluster, getCurrentUser: () => user }) as never;

describe('options of an engine', () => {
  it('have defaults and are frozen', () => {
    const resolved = resolveEngineOptions({ connection: CONNECTION });
    expect(resolved.workers).toBe(Math.min(4, Math.max(1, availableParallelism() - 1)));
    expect(resolved.heartbeatTimeoutMs).toBe(30_000);
    expect(resolved.limits).toMatchObject({ objectBytes: 16 * 1024 * 1024, batchBytes: 256 * 1024 });
    expect(Object.isFrozen(resolved)).toBe(true);
    expect(resolved.connection).toEqual(CONNECTION);
  });

  it.each([
    [
      { connection: CONNECTION, workers: -1 },
      'workers must be an integer of at least 0 and at most 64, got -1',
    ],
    [{ connection: CONNECTION, workers: 1.5 }, 'workers must be'],
    [
      { connection: CONNECTION, worker: 1 },
      'unknown option worker; expected one of kubeConfig, connection, execPlugins, workers',
    ],
    [{ connection: CONNECTION, onError: 'no' }, 'onError must be a function, got "no"'],
    [{ connection: CONNECTION, advanced: { limits: { depth: 1 } } }, 'advanced.limits: depth must be'],
    [undefined, 'options must be an object, got a value of type undefined'],
    [
      { connection: CONNECTION, advanced: { restartBackoff: { initalMs: 1 } } },
      'advanced.restartBackoff: unknown option initalMs; expected one of initialMs, maxMs, healthyMs',
    ],
    [
      { connection: CONNECTION, advanced: { clocks: {} } },
      'Engine advanced: unknown option clocks; expected one of heartbeatTimeoutMs, restartBackoff, limits',
    ],
    [{ connection: CONNECTION, limits: {} }, 'unknown option limits'],
    [
      { connection: CONNECTION, advanced: { restartBackoff: { maxMs: -1 } } },
      'maxMs must be milliseconds, at least 0',
    ],
    [
      { connection: { server: 'https://a', header: {} } },
      'unknown option header of connection; expected one of',
    ],
    [
      { connection: { server: 'https://a', tls: { cafile: '/a' } } },
      'unknown option cafile of tls; expected one of',
    ],
    [{ kubeConfig: { clusters: [] } }, 'kubeConfig must be a KubeConfig of @kubernetes/client-node'],
    [{}, 'exactly one of kubeConfig and connection must be set'],
    [{ connection: CONNECTION, kubeConfig: kubeConfig({}, {}) }, 'exactly one of'],
    [{ connection: { server: 'ftp://x', headers: {} } }, 'must be an http or https URL'],
    [{ connection: { server: 'nonsense', headers: {} } }, 'must be an http or https URL'],
    [{ connection: { server: 'https://user:secret@a' } }, 'without user and password'],
    [
      { connection: { server: 'https://a', tls: { caFile: '/a', insecureSkipVerify: true } } },
      'both a certificate authority and insecureSkipVerify',
    ],
    [{ connection: { server: 'https://a', headers: 'x: y' } }, 'headers must be an object'],
    [{ kubeConfig: kubeConfig(null, null) }, 'no current context'],
    [{ kubeConfig: kubeConfig({ server: 'https://a' }, { exec: {} }) }, 'exec plugin has no command'],
    [
      { kubeConfig: kubeConfig({ server: 'https://a' }, { exec: { ...PLUGIN, apiVersion: 'v1alpha1' } }) },
      'login must have an apiVersion of client.authentication.k8s.io/v1 or ',
    ],
    [
      { connection: { server: 'https://a', exec: { ...PLUGIN, interactiveMode: 'Always' } } },
      'requires a terminal',
    ],
    [{ connection: { server: 'https://a', exec: { ...PLUGIN, args: [5] } } }, 'strings as args'],
    [
      { connection: { server: 'https://a', exec: { ...PLUGIN, env: [{ name: 'A' }] } } },
      'an array of { name, value } as env',
    ],
    [
      { connection: { server: 'https://a', exec: PLUGIN, tokenFile: '/t' } },
      'only one of tokenFile and exec',
    ],
    [
      { connection: { server: 'https://a', exec: PLUGIN }, execPlugins: 'deny' },
      'login is not allowed by the option execPlugins',
    ],
    [
      { connection: { server: 'https://a', exec: PLUGIN }, execPlugins: ['/bin/login'] },
      'is not allowed by the option execPlugins',
    ],
    [{ connection: CONNECTION, execPlugins: 'all' }, "execPlugins must be 'allow', 'deny', or"],
  ])('%# are rejected with a message that names the mistake', (options, message) => {
    expect(() => new Engine(options as EngineOptions)).toThrow(
      expect.objectContaining({
        code: 'KUBEFLECT_OPTION_INVALID',
        message: expect.stringContaining(message),
      }),
    );
  });
});

describe('options of an informer', () => {
  const engine = new Engine({ connection: CONNECTION });
  const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };

  it.each([
    [{ ...pods, apiVersion: undefined }, 'apiVersion must be a version such as v1 or apps/v1'],
    [{ ...pods, kind: 'pod' }, 'kind must be a kind such as Pod, got "pod"'],
    [{ ...pods, plural: '../secrets' }, 'plural must be'],
    [{ ...pods, namespace: [] }, 'namespace must be the name of a namespace, or a non-empty array of them'],
    [{ ...pods, namespace: 'a/../b' }, 'namespace must be'],
    [{ ...pods, pageSize: 0 }, 'pageSize must be an integer of at least 1 and at most 100000, got 0'],
    [{ ...pods, list: 'fast' }, 'list must be one of auto, stream, paged, full, or a function, got "fast"'],
    [
      { ...pods, list: () => {}, namespace: ['a', 'b'] },
      'list must not be a function with several namespaces',
    ],
    [{ ...pods, kind: undefined, metadataOnly: true }, 'metadataOnly requires kind'],
    [{ ...pods, drop: ['a..b'] }, 'expected a path'],
    [{ ...pods, indexers: { a: 5 } }, 'indexers must be paths, functions, or { hook: name }'],
    [{ ...pods, indexers: { a: { hook: 'owner' } } }, 'has the hook owner, but hooks is not set'],
    [{ ...pods, indexers: { namespace: 'metadata.name' } }, 'must not have namespace, which always exists'],
    [
      { ...pods, hooks: '/hooks.js', indexers: { a: { hook: 'a' } }, transform: () => {} },
      'transform cannot be combined with an index of the hooks module',
    ],
    [
      { ...pods, advanced: { mergeabove: 1 } },
      'informer advanced: unknown option mergeabove; expected one of',
    ],
    [{ ...pods, reflector: {} }, 'unknown option reflector'],
    [
      { ...pods, advanced: { reflector: { minWatchTimeout: 1 } } },
      'advanced.reflector: unknown option minWatchTimeout; expected',
    ],
    [
      { ...pods, advanced: { reflector: { periodMs: 'x' } } },
      'periodMs must be milliseconds, at least 0, got "x"',
    ],
    [undefined, 'informer: options must be an object'],
    [{ ...pods, hooks: './hooks.js' }, 'hooks must be an absolute path or a URL of a module'],
    [{ ...pods, labelselector: 'a=b' }, 'unknown option labelselector'],
  ])('%# are rejected with a message that names the mistake', (options, message) => {
    expect(() => engine.informer(options as never)).toThrow(
      expect.objectContaining({
        code: 'KUBEFLECT_OPTION_INVALID',
        message: expect.stringContaining(message),
      }),
    );
  });

  it('accept paths with special characters, and file URLs', () => {
    const folder = '/a folder/100%/c#/what?';
    const href = 'file:///a%20folder/100%25/c%23/what%3F/file.mjs';
    expect(resolveInformerOptions({ ...pods, hooks: `${folder}/file.mjs` }).hooks).toBe(href);
    expect(resolveInformerOptions({ ...pods, hooks: href }).hooks).toBe(href);
    for (const workerFile of [`${folder}/file.mjs`, href, new URL(href)]) {
      expect(
        resolveEngineOptions({ connection: CONNECTION, advanced: { workerFile } }).workerFile?.href,
      ).toBe(href);
    }
  });

  it("determine the informer's name", () => {
    expect(engine.informer(pods).name).toBe('pods');
    const deployments = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' };
    expect(engine.informer({ ...deployments, namespace: ['b', 'a'], labelSelector: 'x=y' }).name).toBe(
      'deployments.apps in a, b where x=y',
    );
    expect(engine.informer({ ...pods, name: 'mine' }).name).toBe('mine');
    expect(engine.informer({ ...pods, name: 'mine', drop: [] }).name).toBe('mine (2)');
  });
});
