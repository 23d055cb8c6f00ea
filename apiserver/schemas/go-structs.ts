/**
 * The Go structs of the built-in kinds of Kubernetes 1.37.2, as far as JSON shows them: which fields, in which order,
 * left out when, merged how. Written by scripts/generate-go-structs.ts; read by struct-schema.ts.
 *
 *   containers[name]Container~name        ports?[containerPort,protocol]ContainerPort~containerPort
 *
 *   name         a field: a string, if nothing follows
 *   ?            left out when empty
 *   *            a pointer: zero is not empty
 *   :b           a scalar: b bool, i int32, l int64, f float64, q quantity, t time, m time with microseconds,
 *                x integer or string, y bytes, r anything
 *   :Name        a struct; with ! behind it one that is owned as a whole
 *   []Name       a list, owned as a whole; [=] a set; [key,key] a list of items with keys
 *   {}Name       a map; {!} one that is owned as a whole
 *   ~key         a strategic merge patch merges the list by that key; ~+ a list of scalars; $ retains keys; - replaces
 */
export const GO_STRUCTS: Readonly<Record<string, string>> = {
  Pod: 'metadata:meta.ObjectMeta spec:PodSpec status:PodStatus',
  'meta.ObjectMeta':
    'name? generateName? namespace? selfLink? uid? resourceVersion? generation?:l creationTimestamp?:t deletionTimestamp?*:t deletionGracePeriodSeconds?*:l labels?{} annotations?{} ownerReferences?[uid]meta.OwnerReference!~uid finalizers?[=]~+ managedFields?[]meta.ManagedFieldsEntry',
  'meta.OwnerReference': 'apiVersion kind name uid controller?*:b blockOwnerDeletion?*:b',
  'meta.ManagedFieldsEntry': 'manager? operation? apiVersion? time?*:t fieldsType? fieldsV1?*:r subresource?',
  PodSpec:
    'volumes?[name]Volume~name$ initContainers?[name]Container~name containers[name]Container~name ephemeralContainers?[name]EphemeralContainer~name restartPolicy? terminationGracePeriodSeconds?*:l activeDeadlineSeconds?*:l dnsPolicy? nodeSelector?{!} serviceAccountName? serviceAccount? automountServiceAccountToken?*:b nodeName? hostNetwork?:b hostPID?:b hostIPC?:b shareProcessNamespace?*:b securityContext?*:PodSecurityContext imagePullSecrets?[name]LocalObjectReference!~name hostname? subdomain? affinity?*:Affinity schedulerName? tolerations?[]Toleration hostAliases?[ip]HostAlias~ip priorityClassName? priority?*:i dnsConfig?*:PodDNSConfig readinessGates?[]PodReadinessGate runtimeClassName?* enableServiceLinks?*:b preemptionPolicy?* overhead?{}q topologySpreadConstraints?[topologyKey,whenUnsatisfiable]TopologySpreadConstraint~topologyKey setHostnameAsFQDN?*:b os?*:PodOS hostUsers?*:b schedulingGates?[name]PodSchedulingGate~name resourceClaims?[name]PodResourceClaim~name$ resources?*:ResourceRequirements hostnameOverride?* schedulingGroup?*:PodSchedulingGroup evictionResponders?[name]EvictionResponder!~name',
  Volume:
    'name hostPath?*:HostPathVolumeSource emptyDir?*:EmptyDirVolumeSource gcePersistentDisk?*:GCEPersistentDiskVolumeSource awsElasticBlockStore?*:AWSElasticBlockStoreVolumeSource gitRepo?*:GitRepoVolumeSource secret?*:SecretVolumeSource nfs?*:NFSVolumeSource iscsi?*:ISCSIVolumeSource glusterfs?*:GlusterfsVolumeSource persistentVolumeClaim?*:PersistentVolumeClaimVolumeSource rbd?*:RBDVolumeSource flexVolume?*:FlexVolumeSource cinder?*:CinderVolumeSource cephfs?*:CephFSVolumeSource flocker?*:FlockerVolumeSource downwardAPI?*:DownwardAPIVolumeSource fc?*:FCVolumeSource azureFile?*:AzureFileVolumeSource configMap?*:ConfigMapVolumeSource vsphereVolume?*:VsphereVirtualDiskVolumeSource quobyte?*:QuobyteVolumeSource azureDisk?*:AzureDiskVolumeSource photonPersistentDisk?*:PhotonPersistentDiskVolumeSource projected?*:ProjectedVolumeSource portworxVolume?*:PortworxVolumeSource scaleIO?*:ScaleIOVolumeSource storageos?*:StorageOSVolumeSource csi?*:CSIVolumeSource ephemeral?*:EphemeralVolumeSource image?*:ImageVolumeSource',
  HostPathVolumeSource: 'path type?*',
  EmptyDirVolumeSource: 'medium? sizeLimit?*:q mode?*:i',
  GCEPersistentDiskVolumeSource: 'pdName fsType? partition?:i readOnly?:b',
  AWSElasticBlockStoreVolumeSource: 'volumeID fsType? partition?:i readOnly?:b',
  GitRepoVolumeSource: 'repository revision? directory?',
  SecretVolumeSource: 'secretName? items?[]KeyToPath defaultMode?*:i optional?*:b defaultUser?*:l',
  KeyToPath: 'key path mode?*:i user?*:l',
  NFSVolumeSource: 'server path readOnly?:b',
  ISCSIVolumeSource:
    'targetPortal iqn lun:i iscsiInterface? fsType? readOnly?:b portals?[] chapAuthDiscovery?:b chapAuthSession?:b secretRef?*:LocalObjectReference! initiatorName?*',
  LocalObjectReference: 'name?',
  GlusterfsVolumeSource: 'endpoints path readOnly?:b',
  PersistentVolumeClaimVolumeSource: 'claimName readOnly?:b',
  RBDVolumeSource:
    'monitors[] image fsType? pool? user? keyring? secretRef?*:LocalObjectReference! readOnly?:b',
  FlexVolumeSource: 'driver fsType? secretRef?*:LocalObjectReference! readOnly?:b options?{}',
  CinderVolumeSource: 'volumeID fsType? readOnly?:b secretRef?*:LocalObjectReference!',
  CephFSVolumeSource: 'monitors[] path? user? secretFile? secretRef?*:LocalObjectReference! readOnly?:b',
  FlockerVolumeSource: 'datasetName? datasetUUID?',
  DownwardAPIVolumeSource: 'items?[]DownwardAPIVolumeFile defaultMode?*:i defaultUser?*:l',
  DownwardAPIVolumeFile:
    'path fieldRef?*:ObjectFieldSelector! resourceFieldRef?*:ResourceFieldSelector! mode?*:i user?*:l',
  ObjectFieldSelector: 'apiVersion? fieldPath',
  ResourceFieldSelector: 'containerName? resource divisor:q',
  FCVolumeSource: 'targetWWNs?[] lun?*:i fsType? readOnly?:b wwids?[]',
  AzureFileVolumeSource: 'secretName shareName readOnly?:b',
  ConfigMapVolumeSource: 'name? items?[]KeyToPath defaultMode?*:i optional?*:b defaultUser?*:l',
  VsphereVirtualDiskVolumeSource: 'volumePath fsType? storagePolicyName? storagePolicyID?',
  QuobyteVolumeSource: 'registry volume readOnly?:b user? group? tenant?',
  AzureDiskVolumeSource: 'diskName diskURI cachingMode?* fsType?* readOnly?*:b kind?*',
  PhotonPersistentDiskVolumeSource: 'pdID fsType?',
  ProjectedVolumeSource: 'sources[]VolumeProjection defaultMode?*:i defaultUser?*:l',
  VolumeProjection:
    'secret?*:SecretProjection downwardAPI?*:DownwardAPIProjection configMap?*:ConfigMapProjection serviceAccountToken?*:ServiceAccountTokenProjection clusterTrustBundle?*:ClusterTrustBundleProjection podCertificate?*:PodCertificateProjection',
  SecretProjection: 'name? items?[]KeyToPath optional?*:b',
  DownwardAPIProjection: 'items?[]DownwardAPIVolumeFile',
  ConfigMapProjection: 'name? items?[]KeyToPath optional?*:b',
  ServiceAccountTokenProjection: 'audience? expirationSeconds?*:l path user?*:l',
  ClusterTrustBundleProjection:
    'name?* signerName?* labelSelector?*:meta.LabelSelector! optional?*:b path user?*:l',
  'meta.LabelSelector': 'matchLabels?{} matchExpressions?[]meta.LabelSelectorRequirement',
  'meta.LabelSelectorRequirement': 'key operator values?[]',
  PodCertificateProjection:
    'signerName? keyType? maxExpirationSeconds?*:i credentialBundlePath? keyPath? certificateChainPath? userAnnotations?{} user?*:l',
  PortworxVolumeSource: 'volumeID fsType? readOnly?:b',
  ScaleIOVolumeSource:
    'gateway system secretRef*:LocalObjectReference! sslEnabled?:b protectionDomain? storagePool? storageMode? volumeName? fsType? readOnly?:b',
  StorageOSVolumeSource: 'volumeName? volumeNamespace? fsType? readOnly?:b secretRef?*:LocalObjectReference!',
  CSIVolumeSource:
    'driver readOnly?*:b fsType?* volumeAttributes?{} nodePublishSecretRef?*:LocalObjectReference!',
  EphemeralVolumeSource: 'volumeClaimTemplate?*:PersistentVolumeClaimTemplate',
  PersistentVolumeClaimTemplate: 'metadata:meta.ObjectMeta spec:PersistentVolumeClaimSpec',
  PersistentVolumeClaimSpec:
    'accessModes?[] selector?*:meta.LabelSelector! resources:VolumeResourceRequirements volumeName? storageClassName?* volumeMode?* dataSource?*:TypedLocalObjectReference! dataSourceRef?*:TypedObjectReference volumeAttributesClassName?*',
  VolumeResourceRequirements: 'limits?{}q requests?{}q',
  TypedLocalObjectReference: 'apiGroup* kind name',
  TypedObjectReference: 'apiGroup* kind name namespace?*',
  ImageVolumeSource: 'reference? pullPolicy?',
  Container:
    'name image? command?[] args?[] workingDir? ports?[containerPort,protocol]ContainerPort~containerPort envFrom?[]EnvFromSource env?[name]EnvVar~name resources:ResourceRequirements resizePolicy?[]ContainerResizePolicy restartPolicy?* restartPolicyRules?[]ContainerRestartRule volumeMounts?[mountPath]VolumeMount~mountPath volumeDevices?[devicePath]VolumeDevice~devicePath livenessProbe?*:Probe readinessProbe?*:Probe startupProbe?*:Probe lifecycle?*:Lifecycle terminationMessagePath? terminationMessagePolicy? imagePullPolicy? securityContext?*:SecurityContext stdin?:b stdinOnce?:b tty?:b',
  ContainerPort: 'name? hostPort?:i containerPort:i protocol? hostIP?',
  EnvFromSource: 'prefix? configMapRef?*:ConfigMapEnvSource secretRef?*:SecretEnvSource',
  ConfigMapEnvSource: 'name? optional?*:b',
  SecretEnvSource: 'name? optional?*:b',
  EnvVar: 'name value? valueFrom?*:EnvVarSource',
  EnvVarSource:
    'fieldRef?*:ObjectFieldSelector! resourceFieldRef?*:ResourceFieldSelector! configMapKeyRef?*:ConfigMapKeySelector! secretKeyRef?*:SecretKeySelector! fileKeyRef?*:FileKeySelector!',
  ConfigMapKeySelector: 'name? key optional?*:b',
  SecretKeySelector: 'name? key optional?*:b',
  FileKeySelector: 'volumeName path key optional?*:b',
  ResourceRequirements: 'limits?{}q requests?{}q claims?[name]ResourceClaim',
  ResourceClaim: 'name request?',
  ContainerResizePolicy: 'resourceName restartPolicy',
  ContainerRestartRule: 'action? exitCodes?*:ContainerRestartRuleOnExitCodes',
  ContainerRestartRuleOnExitCodes: 'operator? values?[=]i',
  VolumeMount:
    'name readOnly?:b recursiveReadOnly?* mountPath subPath? mountPropagation?* subPathExpr? bindMountOptions?[=]',
  VolumeDevice: 'name devicePath',
  Probe:
    'exec?*:ExecAction httpGet?*:HTTPGetAction tcpSocket?*:TCPSocketAction grpc?*:GRPCAction initialDelaySeconds?:i timeoutSeconds?:i periodSeconds?:i successThreshold?:i failureThreshold?:i terminationGracePeriodSeconds?*:l',
  ExecAction: 'command?[]',
  HTTPGetAction: 'path? port:x host? scheme? httpHeaders?[]HTTPHeader protocol?*',
  HTTPHeader: 'name value',
  TCPSocketAction: 'port:x host?',
  GRPCAction: 'port:i service* mode?*',
  Lifecycle: 'postStart?*:LifecycleHandler preStop?*:LifecycleHandler stopSignal?*',
  LifecycleHandler:
    'exec?*:ExecAction httpGet?*:HTTPGetAction tcpSocket?*:TCPSocketAction sleep?*:SleepAction',
  SleepAction: 'seconds:l',
  SecurityContext:
    'capabilities?*:Capabilities privileged?*:b seLinuxOptions?*:SELinuxOptions windowsOptions?*:WindowsSecurityContextOptions runAsUser?*:l runAsGroup?*:l runAsNonRoot?*:b readOnlyRootFilesystem?*:b allowPrivilegeEscalation?*:b procMount?* seccompProfile?*:SeccompProfile appArmorProfile?*:AppArmorProfile',
  Capabilities: 'add?[] drop?[]',
  SELinuxOptions: 'user? role? type? level?',
  WindowsSecurityContextOptions:
    'gmsaCredentialSpecName?* gmsaCredentialSpec?* runAsUserName?* hostProcess?*:b',
  SeccompProfile: 'type localhostProfile?*',
  AppArmorProfile: 'type localhostProfile?*',
  EphemeralContainer:
    'name image? command?[] args?[] workingDir? ports?[containerPort,protocol]ContainerPort~containerPort envFrom?[]EnvFromSource env?[name]EnvVar~name resources:ResourceRequirements resizePolicy?[]ContainerResizePolicy restartPolicy?* restartPolicyRules?[]ContainerRestartRule volumeMounts?[mountPath]VolumeMount~mountPath volumeDevices?[devicePath]VolumeDevice~devicePath livenessProbe?*:Probe readinessProbe?*:Probe startupProbe?*:Probe lifecycle?*:Lifecycle terminationMessagePath? terminationMessagePolicy? imagePullPolicy? securityContext?*:SecurityContext stdin?:b stdinOnce?:b tty?:b targetContainerName?',
  PodSecurityContext:
    'seLinuxOptions?*:SELinuxOptions windowsOptions?*:WindowsSecurityContextOptions runAsUser?*:l runAsGroup?*:l runAsNonRoot?*:b supplementalGroups?[]l supplementalGroupsPolicy?* fsGroup?*:l sysctls?[]Sysctl fsGroupChangePolicy?* seccompProfile?*:SeccompProfile appArmorProfile?*:AppArmorProfile seLinuxChangePolicy?*',
  Sysctl: 'name value',
  Affinity: 'nodeAffinity?*:NodeAffinity podAffinity?*:PodAffinity podAntiAffinity?*:PodAntiAffinity',
  NodeAffinity:
    'requiredDuringSchedulingIgnoredDuringExecution?*:NodeSelector! preferredDuringSchedulingIgnoredDuringExecution?[]PreferredSchedulingTerm',
  NodeSelector: 'nodeSelectorTerms[]NodeSelectorTerm!',
  NodeSelectorTerm: 'matchExpressions?[]NodeSelectorRequirement matchFields?[]NodeSelectorRequirement',
  NodeSelectorRequirement: 'key operator values?[]',
  PreferredSchedulingTerm: 'weight:i preference:NodeSelectorTerm!',
  PodAffinity:
    'requiredDuringSchedulingIgnoredDuringExecution?[]PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution?[]WeightedPodAffinityTerm',
  PodAffinityTerm:
    'labelSelector?*:meta.LabelSelector! namespaces?[] topologyKey namespaceSelector?*:meta.LabelSelector! matchLabelKeys?[] mismatchLabelKeys?[]',
  WeightedPodAffinityTerm: 'weight:i podAffinityTerm:PodAffinityTerm',
  PodAntiAffinity:
    'requiredDuringSchedulingIgnoredDuringExecution?[]PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution?[]WeightedPodAffinityTerm',
  Toleration: 'key? operator? value? effect? tolerationSeconds?*:l',
  HostAlias: 'ip hostnames?[]',
  PodDNSConfig: 'nameservers?[] searches?[] options?[]PodDNSConfigOption',
  PodDNSConfigOption: 'name? value?*',
  PodReadinessGate: 'conditionType',
  TopologySpreadConstraint:
    'maxSkew:i topologyKey whenUnsatisfiable labelSelector?*:meta.LabelSelector! minDomains?*:i nodeAffinityPolicy?* nodeTaintsPolicy?* matchLabelKeys?[]',
  PodOS: 'name',
  PodSchedulingGate: 'name',
  PodResourceClaim: 'name resourceClaimName?* resourceClaimTemplateName?*',
  PodSchedulingGroup: 'podGroupName?*',
  EvictionResponder: 'name priority*:i',
  PodStatus:
    'observedGeneration?:l phase? conditions?[type]PodCondition~type message? reason? nominatedNodeName? hostIP? hostIPs?[]HostIP~ip podIP? podIPs?[ip]PodIP~ip startTime?*:t initContainerStatuses?[]ContainerStatus containerStatuses?[]ContainerStatus qosClass? ephemeralContainerStatuses?[]ContainerStatus resize? resourceClaimStatuses?[name]PodResourceClaimStatus~name$ extendedResourceClaimStatus?*:PodExtendedResourceClaimStatus allocatedResources?{}q resources?*:ResourceRequirements nodeAllocatableResourceClaimStatuses?[resourceClaimName]NodeAllocatableResourceClaimStatus~resourceClaimName volumeHealth?[name]PodVolumeHealth',
  PodCondition: 'type observedGeneration?:l status lastProbeTime:t lastTransitionTime:t reason? message?',
  HostIP: 'ip',
  PodIP: 'ip',
  ContainerStatus:
    'name state:ContainerState lastState:ContainerState ready:b restartCount:i image imageID containerID? started?*:b allocatedResources?{}q resources?*:ResourceRequirements volumeMounts?[mountPath]VolumeMountStatus~mountPath user?*:ContainerUser allocatedResourcesStatus?[name]ResourceStatus~name stopSignal?*',
  ContainerState:
    'waiting?*:ContainerStateWaiting running?*:ContainerStateRunning terminated?*:ContainerStateTerminated',
  ContainerStateWaiting: 'reason? message?',
  ContainerStateRunning: 'startedAt:t',
  ContainerStateTerminated: 'exitCode:i signal?:i reason? message? startedAt:t finishedAt:t containerID?',
  VolumeMountStatus: 'name mountPath readOnly?:b recursiveReadOnly?* volumeStatus?*:VolumeStatus',
  VolumeStatus: 'image?*:ImageVolumeStatus',
  ImageVolumeStatus: 'imageRef?',
  ContainerUser: 'linux?*:LinuxContainerUser',
  LinuxContainerUser: 'uid:l gid:l supplementalGroups?[]l',
  ResourceStatus: 'name resources?[resourceID]ResourceHealth',
  ResourceHealth: 'resourceID health? message?*',
  PodResourceClaimStatus: 'name resourceClaimName?*',
  PodExtendedResourceClaimStatus: 'requestMappings[]ContainerExtendedResourceRequest resourceClaimName',
  ContainerExtendedResourceRequest: 'containerName resourceName requestName',
  NodeAllocatableResourceClaimStatus:
    'resourceClaimName containers?[=] mapping?[name]NodeAllocatableMappedResources~name overhead?[name]NodeAllocatableOverheadResources~name',
  NodeAllocatableMappedResources: 'name quantity*:q',
  NodeAllocatableOverheadResources: 'name perPod?*:q perContainer?*:q',
  PodVolumeHealth: 'name healthConditions?[status,reason]VolumeHealthCondition~status lastTransitionTime:t',
  VolumeHealthCondition: 'status reason message?',
  Node: 'metadata:meta.ObjectMeta spec:NodeSpec status:NodeStatus',
  NodeSpec:
    'podCIDR? podCIDRs?[=]~+ providerID? unschedulable?:b taints?[]Taint configSource?*:NodeConfigSource externalID? podPreemptionPolicy?*:NodePodPreemptionPolicy',
  Taint: 'key value? effect timeAdded?*:t',
  NodeConfigSource: 'configMap?*:ConfigMapNodeConfigSource',
  ConfigMapNodeConfigSource: 'namespace name uid? resourceVersion? kubeletConfigKey',
  NodePodPreemptionPolicy: 'disableResizePreemption?[=]',
  NodeStatus:
    'capacity?{}q allocatable?{}q phase? conditions?[type]NodeCondition~type addresses?[type]NodeAddress~type daemonEndpoints:NodeDaemonEndpoints nodeInfo:NodeSystemInfo images?[]ContainerImage volumesInUse?[] volumesAttached?[]AttachedVolume config?*:NodeConfigStatus runtimeHandlers?[]NodeRuntimeHandler features?*:NodeFeatures declaredFeatures?[]',
  NodeCondition: 'type status lastHeartbeatTime:t lastTransitionTime:t reason? message?',
  NodeAddress: 'type address',
  NodeDaemonEndpoints: 'kubeletEndpoint:DaemonEndpoint',
  DaemonEndpoint: 'Port:i',
  NodeSystemInfo:
    'machineID systemUUID bootID kernelVersion osImage containerRuntimeVersion kubeletVersion kubeProxyVersion operatingSystem architecture swap?*:NodeSwapStatus runningInUserNamespace?*:b',
  NodeSwapStatus: 'capacity?*:l',
  ContainerImage: 'names[] sizeBytes?:l',
  AttachedVolume: 'name devicePath',
  NodeConfigStatus:
    'assigned?*:NodeConfigSource active?*:NodeConfigSource lastKnownGood?*:NodeConfigSource error?',
  NodeRuntimeHandler: 'name features?*:NodeRuntimeHandlerFeatures',
  NodeRuntimeHandlerFeatures: 'recursiveReadOnlyMounts?*:b userNamespaces?*:b',
  NodeFeatures: 'supplementalGroupsPolicy?*:b',
  Namespace: 'metadata:meta.ObjectMeta spec:NamespaceSpec status:NamespaceStatus',
  NamespaceSpec: 'finalizers?[]',
  NamespaceStatus: 'phase? conditions?[type]NamespaceCondition~type',
  NamespaceCondition: 'type status lastTransitionTime:t reason? message?',
  Service: 'metadata:meta.ObjectMeta spec:ServiceSpec status:ServiceStatus',
  ServiceSpec:
    'ports?[port,protocol]ServicePort~port selector?{!} clusterIP? clusterIPs?[] type? externalIPs?[] sessionAffinity? loadBalancerIP? loadBalancerSourceRanges?[] externalName? externalTrafficPolicy? healthCheckNodePort?:i publishNotReadyAddresses?:b sessionAffinityConfig?*:SessionAffinityConfig ipFamilies?[] ipFamilyPolicy?* allocateLoadBalancerNodePorts?*:b loadBalancerClass?* internalTrafficPolicy?* trafficDistribution?*',
  ServicePort: 'name? protocol? appProtocol?* port:i targetPort:x nodePort?:i',
  SessionAffinityConfig: 'clientIP?*:ClientIPConfig',
  ClientIPConfig: 'timeoutSeconds?*:i',
  ServiceStatus: 'loadBalancer:LoadBalancerStatus conditions?[type]meta.Condition~type',
  LoadBalancerStatus: 'ingress?[]LoadBalancerIngress',
  LoadBalancerIngress: 'ip? hostname? ipMode?* ports?[]PortStatus',
  PortStatus: 'port:i protocol error?*',
  'meta.Condition': 'type status observedGeneration?:l lastTransitionTime:t reason message',
  Endpoints: 'metadata:meta.ObjectMeta subsets?[]EndpointSubset',
  EndpointSubset: 'addresses?[]EndpointAddress! notReadyAddresses?[]EndpointAddress! ports?[]EndpointPort!',
  EndpointAddress: 'ip hostname? nodeName?* targetRef?*:ObjectReference!',
  ObjectReference: 'kind? namespace? name? uid? apiVersion? resourceVersion? fieldPath?',
  EndpointPort: 'name? port:i protocol? appProtocol?*',
  ConfigMap: 'metadata:meta.ObjectMeta immutable?*:b data?{} binaryData?{}y',
  Secret: 'metadata:meta.ObjectMeta immutable?*:b data?{}y stringData?{} type?',
  Event:
    'metadata:meta.ObjectMeta involvedObject:ObjectReference! reason? message? source:EventSource firstTimestamp:t lastTimestamp:t count?:i type? eventTime:m series?*:EventSeries action? related?*:ObjectReference! reportingComponent reportingInstance',
  EventSource: 'component? host?',
  EventSeries: 'count?:i lastObservedTime:m',
  ServiceAccount:
    'metadata:meta.ObjectMeta secrets?[name]ObjectReference!~name imagePullSecrets?[]LocalObjectReference! automountServiceAccountToken?*:b',
  'apps.Deployment': 'metadata:meta.ObjectMeta spec:apps.DeploymentSpec status:apps.DeploymentStatus',
  'apps.DeploymentSpec':
    'replicas?*:i selector*:meta.LabelSelector! template:PodTemplateSpec strategy:apps.DeploymentStrategy~$ minReadySeconds?:i revisionHistoryLimit?*:i paused?:b progressDeadlineSeconds?*:i',
  PodTemplateSpec: 'metadata:meta.ObjectMeta spec:PodSpec',
  'apps.DeploymentStrategy': 'type? rollingUpdate?*:apps.RollingUpdateDeployment',
  'apps.RollingUpdateDeployment': 'maxUnavailable?*:x maxSurge?*:x',
  'apps.DeploymentStatus':
    'observedGeneration?:l replicas?:i updatedReplicas?:i readyReplicas?:i availableReplicas?:i unavailableReplicas?:i terminatingReplicas?*:i conditions?[type]apps.DeploymentCondition~type collisionCount?*:i',
  'apps.DeploymentCondition': 'type status lastUpdateTime:t lastTransitionTime:t reason? message?',
  'apps.ReplicaSet': 'metadata:meta.ObjectMeta spec:apps.ReplicaSetSpec status:apps.ReplicaSetStatus',
  'apps.ReplicaSetSpec':
    'replicas?*:i minReadySeconds?:i selector*:meta.LabelSelector! template:PodTemplateSpec',
  'apps.ReplicaSetStatus':
    'replicas:i fullyLabeledReplicas?:i readyReplicas?:i availableReplicas?:i terminatingReplicas?*:i observedGeneration?:l conditions?[type]apps.ReplicaSetCondition~type',
  'apps.ReplicaSetCondition': 'type status lastTransitionTime:t reason? message?',
  'batch.Job': 'metadata:meta.ObjectMeta spec:batch.JobSpec status:batch.JobStatus',
  'batch.JobSpec':
    'parallelism?*:i completions?*:i activeDeadlineSeconds?*:l podFailurePolicy?*:batch.PodFailurePolicy successPolicy?*:batch.SuccessPolicy backoffLimit?*:i backoffLimitPerIndex?*:i maxFailedIndexes?*:i selector?*:meta.LabelSelector! manualSelector?*:b template:PodTemplateSpec ttlSecondsAfterFinished?*:i completionMode?* suspend?*:b podReplacementPolicy?* managedBy?* scheduling?*:batch.JobSchedulingConfiguration',
  'batch.PodFailurePolicy': 'rules[]batch.PodFailurePolicyRule',
  'batch.PodFailurePolicyRule':
    'action onExitCodes?*:batch.PodFailurePolicyOnExitCodesRequirement onPodConditions?[]batch.PodFailurePolicyOnPodConditionsPattern',
  'batch.PodFailurePolicyOnExitCodesRequirement': 'containerName?* operator values[=]i',
  'batch.PodFailurePolicyOnPodConditionsPattern': 'type status',
  'batch.SuccessPolicy': 'rules[]batch.SuccessPolicyRule',
  'batch.SuccessPolicyRule': 'succeededIndexes?* succeededCount?*:i',
  'batch.JobSchedulingConfiguration':
    'schedulingPolicy?*:schedulingv1alpha3.WorkloadPodGroupSchedulingPolicy schedulingConstraints?*:schedulingv1alpha3.WorkloadPodGroupSchedulingConstraints disruptionMode?*:schedulingv1alpha3.WorkloadPodGroupDisruptionMode resourceClaims?[name]schedulingv1alpha3.WorkloadPodGroupResourceClaim~name',
  'schedulingv1alpha3.WorkloadPodGroupSchedulingPolicy':
    'basic?*:schedulingv1alpha3.WorkloadPodGroupBasicSchedulingPolicy gang?*:schedulingv1alpha3.WorkloadPodGroupGangSchedulingPolicy',
  'schedulingv1alpha3.WorkloadPodGroupBasicSchedulingPolicy': '',
  'schedulingv1alpha3.WorkloadPodGroupGangSchedulingPolicy': 'minCount?*:i',
  'schedulingv1alpha3.WorkloadPodGroupSchedulingConstraints':
    'topology?[]schedulingv1alpha3.TopologyConstraint',
  'schedulingv1alpha3.TopologyConstraint': 'key',
  'schedulingv1alpha3.WorkloadPodGroupDisruptionMode':
    'single?*:schedulingv1alpha3.WorkloadPodGroupSingleDisruptionMode all?*:schedulingv1alpha3.WorkloadPodGroupAllDisruptionMode',
  'schedulingv1alpha3.WorkloadPodGroupSingleDisruptionMode': '',
  'schedulingv1alpha3.WorkloadPodGroupAllDisruptionMode': '',
  'schedulingv1alpha3.WorkloadPodGroupResourceClaim': 'name resourceClaimName?* resourceClaimTemplateName?*',
  'batch.JobStatus':
    'conditions?[]batch.JobCondition~type startTime?*:t completionTime?*:t active?:i succeeded?:i failed?:i terminating?*:i completedIndexes? failedIndexes?* uncountedTerminatedPods?*:batch.UncountedTerminatedPods ready?*:i',
  'batch.JobCondition': 'type status lastProbeTime:t lastTransitionTime:t reason? message?',
  'batch.UncountedTerminatedPods': 'succeeded?[=] failed?[=]',
  'coordination.Lease': 'metadata:meta.ObjectMeta spec:coordination.LeaseSpec',
  'coordination.LeaseSpec':
    'holderIdentity?* leaseDurationSeconds?*:i acquireTime?*:m renewTime?*:m leaseTransitions?*:i strategy?* preferredHolder?*',
  'discovery.EndpointSlice':
    'metadata:meta.ObjectMeta addressType endpoints[]discovery.Endpoint ports[]discovery.EndpointPort!',
  'discovery.Endpoint':
    'addresses[=] conditions:discovery.EndpointConditions hostname?* targetRef?*:ObjectReference! deprecatedTopology?{} nodeName?* zone?* hints?*:discovery.EndpointHints',
  'discovery.EndpointConditions': 'ready?*:b serving?*:b terminating?*:b',
  'discovery.EndpointHints': 'forZones?[]discovery.ForZone forNodes?[]discovery.ForNode',
  'discovery.ForZone': 'name',
  'discovery.ForNode': 'name',
  'discovery.EndpointPort': 'name?* protocol?* port?*:i appProtocol?*',
  'events.Event':
    'metadata:meta.ObjectMeta eventTime:m series?*:events.EventSeries reportingController? reportingInstance? action? reason? regarding:ObjectReference! related?*:ObjectReference! note? type? deprecatedSource:EventSource deprecatedFirstTimestamp:t deprecatedLastTimestamp:t deprecatedCount?:i',
  'events.EventSeries': 'count:i lastObservedTime:m',
  'apiextensions.CustomResourceDefinition':
    'metadata:meta.ObjectMeta spec:apiextensions.CustomResourceDefinitionSpec status:apiextensions.CustomResourceDefinitionStatus',
  'apiextensions.CustomResourceDefinitionSpec':
    'group names:apiextensions.CustomResourceDefinitionNames scope versions[]apiextensions.CustomResourceDefinitionVersion conversion?*:apiextensions.CustomResourceConversion preserveUnknownFields?:b',
  'apiextensions.CustomResourceDefinitionNames':
    'plural singular? shortNames?[] kind listKind? categories?[]',
  'apiextensions.CustomResourceDefinitionVersion':
    'name served:b storage:b deprecated?:b deprecationWarning?* schema?*:apiextensions.CustomResourceValidation subresources?*:apiextensions.CustomResourceSubresources additionalPrinterColumns?[]apiextensions.CustomResourceColumnDefinition selectableFields?[]apiextensions.SelectableField',
  'apiextensions.CustomResourceValidation': 'openAPIV3Schema?*:apiextensions.JSONSchemaProps',
  'apiextensions.JSONSchemaProps':
    'id? $schema? $ref?* description? type? format? title? default?*:r maximum?*:f exclusiveMaximum?:b minimum?*:f exclusiveMinimum?:b maxLength?*:l minLength?*:l pattern? maxItems?*:l minItems?*:l uniqueItems?:b multipleOf?*:f enum?[]r maxProperties?*:l minProperties?*:l required?[] items?*:apiextensions.JSONSchemaProps allOf?[]apiextensions.JSONSchemaProps oneOf?[]apiextensions.JSONSchemaProps anyOf?[]apiextensions.JSONSchemaProps not?*:apiextensions.JSONSchemaProps properties?{}apiextensions.JSONSchemaProps additionalProperties?*:apiextensions.JSONSchemaProps patternProperties?{}apiextensions.JSONSchemaProps dependencies?{}apiextensions.JSONSchemaProps additionalItems?*:apiextensions.JSONSchemaProps definitions?{}apiextensions.JSONSchemaProps externalDocs?*:apiextensions.ExternalDocumentation example?*:r nullable?:b x-kubernetes-preserve-unknown-fields?*:b x-kubernetes-embedded-resource?:b x-kubernetes-int-or-string?:b x-kubernetes-list-map-keys?[] x-kubernetes-list-type?* x-kubernetes-map-type?* x-kubernetes-validations?[rule]apiextensions.ValidationRule~rule',
  'apiextensions.ExternalDocumentation': 'description? url?',
  'apiextensions.ValidationRule': 'rule message? messageExpression? reason?* fieldPath? optionalOldSelf?*:b',
  'apiextensions.CustomResourceSubresources':
    'status?*:apiextensions.CustomResourceSubresourceStatus scale?*:apiextensions.CustomResourceSubresourceScale',
  'apiextensions.CustomResourceSubresourceStatus': '',
  'apiextensions.CustomResourceSubresourceScale': 'specReplicasPath statusReplicasPath labelSelectorPath?*',
  'apiextensions.CustomResourceColumnDefinition': 'name type format? description? priority?:i jsonPath',
  'apiextensions.SelectableField': 'jsonPath',
  'apiextensions.CustomResourceConversion': 'strategy webhook?*:apiextensions.WebhookConversion',
  'apiextensions.WebhookConversion':
    'clientConfig?*:apiextensions.WebhookClientConfig conversionReviewVersions[]',
  'apiextensions.WebhookClientConfig': 'url?* service?*:apiextensions.ServiceReference caBundle?:y',
  'apiextensions.ServiceReference': 'namespace name path?* port?*:i',
  'apiextensions.CustomResourceDefinitionStatus':
    'conditions[type]apiextensions.CustomResourceDefinitionCondition acceptedNames:apiextensions.CustomResourceDefinitionNames storedVersions[] observedGeneration?:l',
  'apiextensions.CustomResourceDefinitionCondition':
    'type status lastTransitionTime:t reason? message? observedGeneration?:l',
  'meta.DeleteOptions':
    'gracePeriodSeconds?*:l preconditions?*:meta.Preconditions orphanDependents?*:b propagationPolicy?* dryRun?[] ignoreStoreReadErrorWithClusterBreakingPotential?*:b',
  'meta.Preconditions': 'uid?* resourceVersion?*',
  'autoscaling.Scale': 'metadata:meta.ObjectMeta spec:autoscaling.ScaleSpec status:autoscaling.ScaleStatus',
  'autoscaling.ScaleSpec': 'replicas?:i',
  'autoscaling.ScaleStatus': 'replicas:i selector?',
};
