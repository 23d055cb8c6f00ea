/** Options of one populated collection. */
export interface PopulateSpec {
  /** Kind of the objects, e.g. `Pod`; a kind that is not built in needs its `apiVersion`. */
  kind: string;
  /** If it differs from the built-in kind's, the kind is a custom resource (a Knative `Service`, say). */
  apiVersion?: string;
  /** How many objects, 0 to 100,000,000. */
  count: number;
  /** The same seed and options result in the same bytes. @default 1 */
  seed?: number;
  /**
   * The number of namespaces over which the objects are spread evenly. 0 makes a custom kind cluster-scoped; it is the
   * only value for built-in cluster-scoped kinds. @default one per 100 objects, 1 to 1,000
   */
  namespaces?: number;
  /** The prefix of every name: two sets of one kind in one server need different ones. @default by kind */
  namePrefix?: string;
  /**
   * Average size of one object as compact JSON, without kind and apiVersion; single objects differ by up to 10 %.
   * Below the kind's default, the defaults of `labels`, `annotations` and `containers` shrink with it; explicit ones
   * take precedence over the size. No pod is smaller than about 3,000. 100 to 3,145,728, the limit of a write request.
   * @default by kind: 9,800 for pods, 12,500 for nodes
   */
  sizeBytes?: number;
  /** The share of managedFields in the size of an object: 0 to 0.6. @default by kind: 0.3 for pods */
  managedFieldsShare?: number;
  /** Labels of one object, 0 to 100; for pods, nodes and custom resources. @default 9, 16 and 5 */
  labels?: number;
  /** Annotations of one object, 0 to 100; for pods, nodes and custom resources. @default 6, 7 and 3 */
  annotations?: number;
  /** Containers of one pod or pod template, 1 to 50. @default 2, 1 for jobs */
  containers?: number;
  /** How many node names pods are spread over, from `node-00000`: those of populated Nodes. @default count / 30 */
  nodes?: number;
  /** Changed objects per second. @default 0 */
  churnPerSecond?: number;
}
