/** Nodes: mostly the list of images they have pulled. */

import type { Draft, DraftContext } from '../draft.js';
import { type JsonObject, sortedMap } from '../go-json.js';
import { counterString, PADDING, variable } from '../placeholder.js';
import type { Random } from '../random.js';
import { exactly, objectMeta } from './object-meta.js';

export function draftNode(context: DraftContext): Draft {
  const { random, spec } = context;
  const zone = `eu-west-1${random.pick(['a', 'b', 'c'])}`;
  const labels = exactly(spec.labels, nodeLabels(random, zone), (k) => [
    `node.example.com/${random.word()}-${k}`,
    random.word(),
  ]);
  const annotations = exactly(spec.annotations, nodeAnnotations(random), (k) => [
    `${random.word()}.example.com/${random.word()}-${k}`,
    random.words(5, ' '),
  ]);
  const metadata = objectMeta(context, { labels, annotations });
  const podCIDR = `10.${random.between(64, 127)}.${random.int(256)}.0/24`;
  const podCIDRs = [podCIDR];
  const nodeSpec: JsonObject = {
    podCIDR,
    podCIDRs,
    providerID: `aws:///${zone}/i-${variable('token')}${random.hex(12)}`,
    ...(context.ordinal % 16 === 5 ? { unschedulable: true } : {}),
  };
  const images: JsonObject[] = [
    { names: [`registry.example.com/warm-up/${PADDING}:1`], sizeBytes: 26_214_400 },
  ];
  const status = nodeStatus(random, images);
  const object = { metadata, spec: nodeSpec, status };
  let missing = context.missing(object) - 250;
  while (missing > 0) {
    const pulled = image(random);
    missing -= JSON.stringify(pulled).length + 1;
    images.push(pulled);
  }
  return {
    object,
    owners: [
      {
        manager: 'kubelet',
        operation: 'Update',
        time: variable('created'),
        owns: { metadata: { labels, annotations }, spec: { providerID: '' } },
      },
      {
        manager: 'kubelet',
        operation: 'Update',
        time: variable('changed'),
        subresource: 'status',
        owns: { status },
      },
      {
        manager: 'kube-controller-manager',
        operation: 'Update',
        time: variable('created'),
        owns: { metadata: { annotations }, spec: { podCIDR, podCIDRs } },
      },
    ],
  };
}

function nodeLabels(random: Random, zone: string): Record<string, string> {
  const type = random.pick(['m6i.4xlarge', 'c6i.8xlarge', 'r6g.2xlarge']);
  return {
    'kubernetes.io/hostname': variable('name'),
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': type,
    'topology.kubernetes.io/region': 'eu-west-1',
    'topology.kubernetes.io/zone': zone,
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'beta.kubernetes.io/instance-type': type,
    'failure-domain.beta.kubernetes.io/region': 'eu-west-1',
    'failure-domain.beta.kubernetes.io/zone': zone,
    'eks.amazonaws.com/capacityType': random.pick(['ON_DEMAND', 'SPOT']),
    'eks.amazonaws.com/nodegroup': `${random.word()}-workers`,
    'eks.amazonaws.com/nodegroup-image': `ami-${random.hex(17)}`,
    'k8s.io/cloud-provider-aws': random.hex(32),
    'node.example.com/pool': random.pick(['general', 'memory', 'compute']),
  };
}

function nodeAnnotations(random: Random): Record<string, string> {
  return {
    'node.example.com/heartbeats': counterString('mutation'),
    'node.alpha.kubernetes.io/ttl': '15',
    'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
    'csi.volume.kubernetes.io/nodeid': `{"ebs.csi.aws.com":"i-${random.hex(17)}","efs.csi.aws.com":"i-${random.hex(17)}"}`,
    'alpha.kubernetes.io/provided-node-ip': variable('podIp'),
    'projectcalico.org/IPv4Address': `${variable('podIp')}/20`,
    'flannel.alpha.coreos.com/backend-data': `{"VNI":1,"VtepMAC":"${random.hex(2)}:${random.hex(2)}:${random.hex(2)}"}`,
  };
}

function nodeStatus(random: Random, images: readonly JsonObject[]): JsonObject {
  const cores = random.pick([8, 16, 32, 64]);
  const memory = cores * 4 * 1024 * 1024 - random.int(500_000);
  const resources = (reserved: number): JsonObject =>
    sortedMap({
      cpu: reserved === 0 ? String(cores) : `${cores * 1000 - 110}m`,
      'ephemeral-storage': `${104_845_292 - reserved * 1000}Ki`,
      'hugepages-1Gi': '0',
      'hugepages-2Mi': '0',
      memory: `${memory - reserved * 1024}Ki`,
      pods: '110',
    });
  return {
    capacity: resources(0),
    allocatable: resources(900),
    conditions: [
      condition('NetworkUnavailable', 'False', 'CalicoIsUp', 'Calico is running on this node'),
      condition(
        'MemoryPressure',
        'False',
        'KubeletHasSufficientMemory',
        'kubelet has sufficient memory available',
      ),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
      condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
    ],
    addresses: [
      { type: 'InternalIP', address: variable('podIp') },
      { type: 'Hostname', address: variable('name') },
      { type: 'InternalDNS', address: `${variable('name')}.eu-west-1.compute.internal` },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      machineID: random.hex(32),
      systemUUID: variable('uid'),
      bootID: random.uuid(),
      kernelVersion: '6.1.141-155.222.amzn2023.x86_64',
      osImage: 'Amazon Linux 2023.8.20250707',
      containerRuntimeVersion: 'containerd://2.0.5',
      kubeletVersion: 'v1.36.4',
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
    images,
  };
}

function condition(type: string, status: string, reason: string, message: string): JsonObject {
  return {
    type,
    status,
    lastHeartbeatTime: variable('changed'),
    lastTransitionTime: variable('started'),
    reason,
    message,
  };
}

function image(random: Random): JsonObject {
  const repository = `${random.pick(['registry.example.com', 'ghcr.io/acme', 'quay.io/observability'])}/${random.words(2, '/')}`;
  return {
    names: [
      `${repository}@sha256:${random.hex(64)}`,
      `${repository}:v${random.int(9)}.${random.int(40)}.${random.int(20)}`,
    ],
    sizeBytes: random.between(5_000_000, 900_000_000),
  };
}
