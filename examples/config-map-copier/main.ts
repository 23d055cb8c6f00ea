/**
 * A controller as it runs in a cluster: copies every ConfigMap with the label copy.example.com/source=true into every
 * namespace. Ends at SIGTERM.
 */

import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { Engine } from 'kubeflect';
import { copyConfigMaps } from './copy-config-maps.js';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();

const engine = new Engine({ kubeConfig, workers: 1 });
const { controller } = copyConfigMaps(engine, kubeConfig.makeApiClient(CoreV1Api));
await controller.synced;
console.log('copying');

await new Promise((resolve) => process.once('SIGTERM', resolve));
await controller.stop({ drain: true });
await engine.close();
console.log('stopped');
