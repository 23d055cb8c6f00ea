/** The one import line of docs/migrating.md for code that says `k8s.…`: client-node, with our informer in place of its own. */

export * from '@kubernetes/client-node';
export { ListWatch, makeInformer } from 'kubeflect/client-node';
