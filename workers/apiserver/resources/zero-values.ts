/** What Go writes of an otherwise empty object of a kind: a bookmark carries it beside its metadata. Seen on 1.36. */
const POD_TEMPLATE = { metadata: {}, spec: { containers: null } };

export const ZERO_VALUES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  CustomResourceDefinition: {
    spec: { group: '', names: { plural: '', kind: '' }, scope: '', versions: null },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null },
  },
  Deployment: {
    spec: { replicas: 0, selector: null, template: POD_TEMPLATE, strategy: {} },
    status: {},
  },
  EndpointSlice: { addressType: '', endpoints: null, ports: null },
  Event: {
    involvedObject: {},
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: '',
    reportingInstance: '',
  },
  Job: { spec: { template: POD_TEMPLATE }, status: {} },
  Lease: { spec: {} },
  Namespace: { spec: {}, status: {} },
  Node: {
    spec: {},
    status: {
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo: {
        machineID: '',
        systemUUID: '',
        bootID: '',
        kernelVersion: '',
        osImage: '',
        containerRuntimeVersion: '',
        kubeletVersion: '',
        kubeProxyVersion: '',
        operatingSystem: '',
        architecture: '',
      },
    },
  },
  Pod: { spec: { containers: null }, status: {} },
  ReplicaSet: { spec: { replicas: 0, selector: null, template: POD_TEMPLATE }, status: { replicas: 0 } },
  Service: { spec: {}, status: { loadBalancer: {} } },
};
