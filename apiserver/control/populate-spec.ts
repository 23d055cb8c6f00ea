/** Options of one populated collection. */
export interface PopulateSpec {
  /** Kind of the objects, e.g. `Pod`; a kind that is not built in needs its `apiVersion`. */
  kind: string;
  /** Differing from the built-in kind's own makes it a custom resource (a Knative `Service`, say). */
  apiVersion?: string;
  /** How many objects, 0 to 100,000,000. */
  count: number;
  /** The same seed and options give the same bytes. @default 1 */
  seed?: number;
  /**
   * Over how many namespaces the objects are spread, evenly. 0 makes a custom kind cluster-scoped; kinds that
   * are cluster-scoped by nature take nothing else. @default one per 100 objects, 1 to 1,000
   */
  namespaces?: number;
  /** The beginning of every name: two sets of one kind in one server need different ones. @default by kind */
  namePrefix?: string;
  /**
   * Compact size of one object without kind and apiVersion, reached on average: single objects differ by up to
   * 10 %. Below the kind's default the defaults of the field mix shrink with it; a given mix wins where it needs more,
   * and no pod is smaller than about 3,000. 100 to 3,145,728 (what a write request may carry).
   * @default by kind: 9,800 for pods, 12,500 for nodes
   */
  sizeBytes?: number;
  /** Which part of an object is managedFields: 0 (none at all) to 0.6. @default by kind: 0.3 for pods */
  managedFieldsShare?: number;
  /** Labels of one object, 0 to 100; for pods, nodes and custom resources. @default 9, 16 and 5 */
  labels?: number;
  /** Annotations of one object, 0 to 100; for pods, nodes and custom resources. @default 6, 7 and 3 */
  annotations?: number;
  /** Containers of one pod or pod template, 1 to 50. @default 2, 1 for jobs */
  containers?: number;
  /** How many node names pods are spread over, `node-00000` and on: those of populated Nodes. @default count / 30 */
  nodes?: number;
  /** Changed objects per second. @default 0 */
  churnPerSecond?: number;
}
