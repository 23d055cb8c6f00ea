/** The protobuf of Kubernetes 1.37.2. Written by `npm run generate`; read by the files beside it. */

/** A server of a newer minor version may have fields that are not in the table. */
export const PROTOBUF_VERSION: string = '1.37.2';

// One group and version a line. docs/decisions/protobuf-schema.md tells how to read both tables.
export const PROTOBUF_KINDS: string = `\
admissionregistration.k8s.io/v1 admissionregistration.v1 MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingAdmissionPolicyBindingList MutatingAdmissionPolicyList MutatingWebhookConfiguration MutatingWebhookConfigurationList ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingAdmissionPolicyBindingList ValidatingAdmissionPolicyList ValidatingWebhookConfiguration ValidatingWebhookConfigurationList
admissionregistration.k8s.io/v1alpha1 admissionregistration.v1alpha1 MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingAdmissionPolicyBindingList MutatingAdmissionPolicyList ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingAdmissionPolicyBindingList ValidatingAdmissionPolicyList
admissionregistration.k8s.io/v1beta1 admissionregistration.v1beta1 MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingAdmissionPolicyBindingList MutatingAdmissionPolicyList MutatingWebhookConfiguration MutatingWebhookConfigurationList ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingAdmissionPolicyBindingList ValidatingAdmissionPolicyList ValidatingWebhookConfiguration ValidatingWebhookConfigurationList
apiextensions.k8s.io/v1 apiextensions.v1 ConversionReview CustomResourceDefinition CustomResourceDefinitionList
apiregistration.k8s.io/v1 apiregistration.v1 APIService APIServiceList
apps/v1 apps.v1 ControllerRevision ControllerRevisionList DaemonSet DaemonSetList Deployment DeploymentList ReplicaSet ReplicaSetList StatefulSet StatefulSetList
apps/v1beta1 apps.v1beta1 ControllerRevision ControllerRevisionList Deployment DeploymentList DeploymentRollback Scale StatefulSet StatefulSetList
apps/v1beta2 apps.v1beta2 ControllerRevision ControllerRevisionList DaemonSet DaemonSetList Deployment DeploymentList ReplicaSet ReplicaSetList Scale StatefulSet StatefulSetList
authentication.k8s.io/v1 authentication.v1 SelfSubjectReview TokenRequest TokenReview
authentication.k8s.io/v1alpha1 authentication.v1alpha1 SelfSubjectReview
authentication.k8s.io/v1beta1 authentication.v1beta1 SelfSubjectReview TokenReview
authorization.k8s.io/v1 authorization.v1 LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview
authorization.k8s.io/v1beta1 authorization.v1beta1 LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview
autoscaling/v1 autoscaling.v1 HorizontalPodAutoscaler HorizontalPodAutoscalerList Scale
autoscaling/v2 autoscaling.v2 HorizontalPodAutoscaler HorizontalPodAutoscalerList
autoscaling/v2beta1 autoscaling.v2beta1 HorizontalPodAutoscaler HorizontalPodAutoscalerList
autoscaling/v2beta2 autoscaling.v2beta2 HorizontalPodAutoscaler HorizontalPodAutoscalerList
batch/v1 batch.v1 CronJob CronJobList Job JobList
batch/v1beta1 batch.v1beta1 CronJob CronJobList
certificates.k8s.io/v1 certificates.v1 CertificateSigningRequest CertificateSigningRequestList ClusterTrustBundle ClusterTrustBundleList PodCertificateRequest PodCertificateRequestList
certificates.k8s.io/v1alpha1 certificates.v1alpha1 ClusterTrustBundle ClusterTrustBundleList PodCertificateRequest PodCertificateRequestList
certificates.k8s.io/v1beta1 certificates.v1beta1 CertificateSigningRequest CertificateSigningRequestList ClusterTrustBundle ClusterTrustBundleList PodCertificateRequest PodCertificateRequestList
coordination.k8s.io/v1 coordination.v1 Lease LeaseList
coordination.k8s.io/v1alpha2 coordination.v1alpha2 LeaseCandidate LeaseCandidateList
coordination.k8s.io/v1beta1 coordination.v1beta1 Lease LeaseCandidate LeaseCandidateList LeaseList
discovery.k8s.io/v1 discovery.v1 EndpointSlice EndpointSliceList
discovery.k8s.io/v1beta1 discovery.v1beta1 EndpointSlice EndpointSliceList
events.k8s.io/v1 events.v1 Event EventList
events.k8s.io/v1beta1 events.v1beta1 Event EventList
extensions/v1beta1 extensions.v1beta1 DaemonSet DaemonSetList Deployment DeploymentList DeploymentRollback Ingress IngressList NetworkPolicy NetworkPolicyList ReplicaSet ReplicaSetList Scale
flowcontrol.apiserver.k8s.io/v1 flowcontrol.v1 FlowSchema FlowSchemaList PriorityLevelConfiguration PriorityLevelConfigurationList
flowcontrol.apiserver.k8s.io/v1beta1 flowcontrol.v1beta1 FlowSchema FlowSchemaList PriorityLevelConfiguration PriorityLevelConfigurationList
flowcontrol.apiserver.k8s.io/v1beta2 flowcontrol.v1beta2 FlowSchema FlowSchemaList PriorityLevelConfiguration PriorityLevelConfigurationList
flowcontrol.apiserver.k8s.io/v1beta3 flowcontrol.v1beta3 FlowSchema FlowSchemaList PriorityLevelConfiguration PriorityLevelConfigurationList
internal.apiserver.k8s.io/v1alpha1 internal.v1alpha1 StorageVersion=apiserverinternal.v1alpha1.StorageVersion StorageVersionList=apiserverinternal.v1alpha1.StorageVersionList
lifecycle.k8s.io/v1alpha1 lifecycle.v1alpha1 Eviction EvictionList EvictionRequest EvictionRequestList
meta.k8s.io/v1 meta.v1 PartialObjectMetadata PartialObjectMetadataList TableOptions
networking.k8s.io/v1 networking.v1 IPAddress IPAddressList Ingress IngressClass IngressClassList IngressList NetworkPolicy NetworkPolicyList ServiceCIDR ServiceCIDRList
networking.k8s.io/v1alpha1 networking.v1alpha1 IPAddress IPAddressList ServiceCIDR ServiceCIDRList
networking.k8s.io/v1beta1 networking.v1beta1 IPAddress IPAddressList Ingress IngressClass IngressClassList IngressList ServiceCIDR ServiceCIDRList
node.k8s.io/v1 node.v1 RuntimeClass RuntimeClassList
node.k8s.io/v1alpha1 node.v1alpha1 RuntimeClass RuntimeClassList
node.k8s.io/v1beta1 node.v1beta1 RuntimeClass RuntimeClassList
policy/v1 policy.v1 Eviction PodDisruptionBudget PodDisruptionBudgetList
policy/v1beta1 policy.v1beta1 Eviction PodDisruptionBudget PodDisruptionBudgetList
rbac.authorization.k8s.io/v1 rbac.v1 ClusterRole ClusterRoleBinding ClusterRoleBindingList ClusterRoleList Role RoleBinding RoleBindingList RoleList
rbac.authorization.k8s.io/v1alpha1 rbac.v1alpha1 ClusterRole ClusterRoleBinding ClusterRoleBindingList ClusterRoleList Role RoleBinding RoleBindingList RoleList
rbac.authorization.k8s.io/v1beta1 rbac.v1beta1 ClusterRole ClusterRoleBinding ClusterRoleBindingList ClusterRoleList Role RoleBinding RoleBindingList RoleList
resource.k8s.io/v1 resource.v1 DeviceClass DeviceClassList DeviceTaintRule DeviceTaintRuleList ResourceClaim ResourceClaimList ResourceClaimTemplate ResourceClaimTemplateList ResourceSlice ResourceSliceList
resource.k8s.io/v1alpha3 resource.v1alpha3 DeviceClass DeviceClassList DeviceTaintRule DeviceTaintRuleList ResourceClaim ResourceClaimList ResourceClaimTemplate ResourceClaimTemplateList ResourcePoolStatusRequest ResourcePoolStatusRequestList ResourceSlice ResourceSliceList
resource.k8s.io/v1beta1 resource.v1beta1 DeviceClass DeviceClassList ResourceClaim ResourceClaimList ResourceClaimTemplate ResourceClaimTemplateList ResourceSlice ResourceSliceList
resource.k8s.io/v1beta2 resource.v1beta2 DeviceClass DeviceClassList DeviceTaintRule DeviceTaintRuleList ResourceClaim ResourceClaimList ResourceClaimTemplate ResourceClaimTemplateList ResourceSlice ResourceSliceList
scheduling.k8s.io/v1 scheduling.v1 PriorityClass PriorityClassList
scheduling.k8s.io/v1alpha1 scheduling.v1alpha1 PriorityClass PriorityClassList Workload WorkloadList
scheduling.k8s.io/v1alpha2 scheduling.v1alpha2 PodGroup PodGroupList Workload WorkloadList
scheduling.k8s.io/v1alpha3 scheduling.v1alpha3 CompositePodGroup CompositePodGroupList PodGroup PodGroupList Workload WorkloadList
scheduling.k8s.io/v1beta1 scheduling.v1beta1 PodGroup PodGroupList PriorityClass PriorityClassList Workload WorkloadList
storage.k8s.io/v1 storage.v1 CSIDriver CSIDriverList CSINode CSINodeList CSIStorageCapacity CSIStorageCapacityList StorageClass StorageClassList VolumeAttachment VolumeAttachmentList VolumeAttributesClass VolumeAttributesClassList
storage.k8s.io/v1alpha1 storage.v1alpha1 CSIStorageCapacity CSIStorageCapacityList VolumeAttachment VolumeAttachmentList VolumeAttributesClass VolumeAttributesClassList
storage.k8s.io/v1beta1 storage.v1beta1 CSIDriver CSIDriverList CSINode CSINodeList CSIStorageCapacity CSIStorageCapacityList StorageClass StorageClassList VolumeAttachment VolumeAttachmentList VolumeAttributesClass VolumeAttributesClassList
storagemigration.k8s.io/v1 storagemigration.v1 StorageVersionMigration StorageVersionMigrationList
storagemigration.k8s.io/v1alpha1 storagemigration.v1alpha1 StorageVersionMigration StorageVersionMigrationList
storagemigration.k8s.io/v1beta1 storagemigration.v1beta1 StorageVersionMigration StorageVersionMigrationList
v1 core.v1 APIGroup=meta.v1.APIGroup APIGroupList=meta.v1.APIGroupList APIResourceList=meta.v1.APIResourceList APIVersions=meta.v1.APIVersions Binding ComponentStatus ComponentStatusList ConfigMap ConfigMapList CreateOptions=meta.v1.CreateOptions DeleteOptions=meta.v1.DeleteOptions Endpoints EndpointsList Event EventList GetOptions=meta.v1.GetOptions LimitRange LimitRangeList List ListOptions=meta.v1.ListOptions Namespace NamespaceList Node NodeList NodeProxyOptions PatchOptions=meta.v1.PatchOptions PersistentVolume PersistentVolumeClaim PersistentVolumeClaimList PersistentVolumeList Pod PodAttachOptions PodExecOptions PodList PodLogOptions PodPortForwardOptions PodProxyOptions PodStatusResult PodTemplate PodTemplateList RangeAllocation ReplicationController ReplicationControllerList ResourceQuota ResourceQuotaList Secret SecretList SerializedReference Service ServiceAccount ServiceAccountList ServiceList ServiceProxyOptions Status=meta.v1.Status UpdateOptions=meta.v1.UpdateOptions WatchEvent=meta.v1.WatchEvent`;

// One message a line.
export const PROTOBUF_MESSAGES: string = `\
admissionregistration.v1.ApplyConfiguration expression?:1s
admissionregistration.v1.AuditAnnotation key:1s valueExpression:2s
admissionregistration.v1.ExpressionWarning fieldRef:2s warning:3s
admissionregistration.v1.JSONPatch expression?:1s
admissionregistration.v1.MatchCondition name:1s expression:2s
admissionregistration.v1.MatchResources namespaceSelector?*:1@meta.v1.LabelSelector objectSelector?*:2@meta.v1.LabelSelector resourceRules?:3[]@.NamedRuleWithOperations excludeResourceRules?:4[]@.NamedRuleWithOperations matchPolicy?*:7s
admissionregistration.v1.MutatingAdmissionPolicy metadata:1@meta.v1.ObjectMeta spec:2@.MutatingAdmissionPolicySpec
admissionregistration.v1.MutatingAdmissionPolicyBinding metadata:1@meta.v1.ObjectMeta spec:2@.MutatingAdmissionPolicyBindingSpec
admissionregistration.v1.MutatingAdmissionPolicyBindingList metadata:1@meta.v1.ListMeta items:2[]@.MutatingAdmissionPolicyBinding
admissionregistration.v1.MutatingAdmissionPolicyBindingSpec policyName?:1s paramRef?*:2@.ParamRef matchResources?*:3@.MatchResources
admissionregistration.v1.MutatingAdmissionPolicyList metadata:1@meta.v1.ListMeta items:2[]@.MutatingAdmissionPolicy
admissionregistration.v1.MutatingAdmissionPolicySpec paramKind?*:1@.ParamKind matchConstraints?*:2@.MatchResources variables?:3[]@.Variable mutations?:4[]@.Mutation failurePolicy?*:5s matchConditions?:6[]@.MatchCondition reinvocationPolicy?:7s
admissionregistration.v1.MutatingWebhook name:1s clientConfig:2@.WebhookClientConfig rules?:3[]@.RuleWithOperations failurePolicy?*:4s matchPolicy?*:9s namespaceSelector?*:5@meta.v1.LabelSelector objectSelector?*:11@meta.v1.LabelSelector sideEffects*:6s timeoutSeconds?*:7i admissionReviewVersions:8[]s reinvocationPolicy?*:10s matchConditions?:12[]@.MatchCondition
admissionregistration.v1.MutatingWebhookConfiguration metadata:1@meta.v1.ObjectMeta webhooks?:2[]@.MutatingWebhook
admissionregistration.v1.MutatingWebhookConfigurationList metadata:1@meta.v1.ListMeta items:2[]@.MutatingWebhookConfiguration
admissionregistration.v1.Mutation patchType:2s applyConfiguration?*:3@.ApplyConfiguration jsonPatch?*:4@.JSONPatch
admissionregistration.v1.NamedRuleWithOperations resourceNames?:1[]s ^:2@.RuleWithOperations
admissionregistration.v1.ParamKind apiVersion?:1s kind?:2s
admissionregistration.v1.ParamRef name?:1s namespace?:2s selector?*:3@meta.v1.LabelSelector parameterNotFoundAction?*:4s
admissionregistration.v1.Rule apiGroups?:1[]s apiVersions?:2[]s resources?:3[]s scope?*:4s
admissionregistration.v1.RuleWithOperations operations?:1[]s ^:2@.Rule
admissionregistration.v1.ServiceReference namespace:1s name:2s path?*:3s port?*:4i
admissionregistration.v1.TypeChecking expressionWarnings?:1[]@.ExpressionWarning
admissionregistration.v1.ValidatingAdmissionPolicy metadata:1@meta.v1.ObjectMeta spec:2@.ValidatingAdmissionPolicySpec status:3@.ValidatingAdmissionPolicyStatus
admissionregistration.v1.ValidatingAdmissionPolicyBinding metadata:1@meta.v1.ObjectMeta spec:2@.ValidatingAdmissionPolicyBindingSpec
admissionregistration.v1.ValidatingAdmissionPolicyBindingList metadata:1@meta.v1.ListMeta items:2[]@.ValidatingAdmissionPolicyBinding
admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec policyName?:1s paramRef?*:2@.ParamRef matchResources?*:3@.MatchResources validationActions?:4[]s
admissionregistration.v1.ValidatingAdmissionPolicyList metadata:1@meta.v1.ListMeta items:2[]@.ValidatingAdmissionPolicy
admissionregistration.v1.ValidatingAdmissionPolicySpec paramKind?*:1@.ParamKind matchConstraints?*:2@.MatchResources validations?:3[]@.Validation failurePolicy?*:4s auditAnnotations?:5[]@.AuditAnnotation matchConditions?:6[]@.MatchCondition variables?:7[]@.Variable
admissionregistration.v1.ValidatingAdmissionPolicyStatus observedGeneration?:1l typeChecking?*:2@.TypeChecking conditions?:3[]@meta.v1.Condition
admissionregistration.v1.ValidatingWebhook name:1s clientConfig:2@.WebhookClientConfig rules?:3[]@.RuleWithOperations failurePolicy?*:4s matchPolicy?*:9s namespaceSelector?*:5@meta.v1.LabelSelector objectSelector?*:10@meta.v1.LabelSelector sideEffects*:6s timeoutSeconds?*:7i admissionReviewVersions:8[]s matchConditions?:11[]@.MatchCondition
admissionregistration.v1.ValidatingWebhookConfiguration metadata:1@meta.v1.ObjectMeta webhooks?:2[]@.ValidatingWebhook
admissionregistration.v1.ValidatingWebhookConfigurationList metadata:1@meta.v1.ListMeta items:2[]@.ValidatingWebhookConfiguration
admissionregistration.v1.Validation expression:1s message?:2s reason?*:3s messageExpression?:4s
admissionregistration.v1.Variable name:1s expression:2s
admissionregistration.v1.WebhookClientConfig url?*:3s service?*:1@.ServiceReference caBundle?:2y
admissionregistration.v1alpha1.ApplyConfiguration expression?:1s
admissionregistration.v1alpha1.AuditAnnotation key:1s valueExpression:2s
admissionregistration.v1alpha1.ExpressionWarning fieldRef:2s warning:3s
admissionregistration.v1alpha1.JSONPatch expression?:1s
admissionregistration.v1alpha1.MatchCondition name:1s expression:2s
admissionregistration.v1alpha1.MatchResources namespaceSelector?*:1@meta.v1.LabelSelector objectSelector?*:2@meta.v1.LabelSelector resourceRules?:3[]@.NamedRuleWithOperations excludeResourceRules?:4[]@.NamedRuleWithOperations matchPolicy?*:7s
admissionregistration.v1alpha1.MutatingAdmissionPolicy metadata:1@meta.v1.ObjectMeta spec:2@.MutatingAdmissionPolicySpec
admissionregistration.v1alpha1.MutatingAdmissionPolicyBinding metadata:1@meta.v1.ObjectMeta spec:2@.MutatingAdmissionPolicyBindingSpec
admissionregistration.v1alpha1.MutatingAdmissionPolicyBindingList metadata:1@meta.v1.ListMeta items:2[]@.MutatingAdmissionPolicyBinding
admissionregistration.v1alpha1.MutatingAdmissionPolicyBindingSpec policyName?:1s paramRef?*:2@.ParamRef matchResources?*:3@.MatchResources
admissionregistration.v1alpha1.MutatingAdmissionPolicyList metadata:1@meta.v1.ListMeta items:2[]@.MutatingAdmissionPolicy
admissionregistration.v1alpha1.MutatingAdmissionPolicySpec paramKind?*:1@.ParamKind matchConstraints?*:2@.MatchResources variables?:3[]@.Variable mutations?:4[]@.Mutation failurePolicy?*:5s matchConditions?:6[]@.MatchCondition reinvocationPolicy?:7s
admissionregistration.v1alpha1.Mutation patchType:2s applyConfiguration?*:3@.ApplyConfiguration jsonPatch?*:4@.JSONPatch
admissionregistration.v1alpha1.NamedRuleWithOperations resourceNames?:1[]s ^:2@admissionregistration.v1.RuleWithOperations
admissionregistration.v1alpha1.ParamKind apiVersion?:1s kind?:2s
admissionregistration.v1alpha1.ParamRef name?:1s namespace?:2s selector?*:3@meta.v1.LabelSelector parameterNotFoundAction?*:4s
admissionregistration.v1alpha1.TypeChecking expressionWarnings?:1[]@.ExpressionWarning
admissionregistration.v1alpha1.ValidatingAdmissionPolicy metadata:1@meta.v1.ObjectMeta spec:2@.ValidatingAdmissionPolicySpec status:3@.ValidatingAdmissionPolicyStatus
admissionregistration.v1alpha1.ValidatingAdmissionPolicyBinding metadata:1@meta.v1.ObjectMeta spec:2@.ValidatingAdmissionPolicyBindingSpec
admissionregistration.v1alpha1.ValidatingAdmissionPolicyBindingList metadata:1@meta.v1.ListMeta items:2[]@.ValidatingAdmissionPolicyBinding
admissionregistration.v1alpha1.ValidatingAdmissionPolicyBindingSpec policyName?:1s paramRef?*:2@.ParamRef matchResources?*:3@.MatchResources validationActions?:4[]s
admissionregistration.v1alpha1.ValidatingAdmissionPolicyList metadata:1@meta.v1.ListMeta items:2[]@.ValidatingAdmissionPolicy
admissionregistration.v1alpha1.ValidatingAdmissionPolicySpec paramKind?*:1@.ParamKind matchConstraints?*:2@.MatchResources validations?:3[]@.Validation failurePolicy?*:4s auditAnnotations?:5[]@.AuditAnnotation matchConditions?:6[]@.MatchCondition variables?:7[]@.Variable
admissionregistration.v1alpha1.ValidatingAdmissionPolicyStatus observedGeneration?:1l typeChecking?*:2@.TypeChecking conditions?:3[]@meta.v1.Condition
admissionregistration.v1alpha1.Validation expression:1s message?:2s reason?*:3s messageExpression?:4s
admissionregistration.v1alpha1.Variable name:1s expression:2s
admissionregistration.v1beta1.ApplyConfiguration expression?:1s
admissionregistration.v1beta1.AuditAnnotation key:1s valueExpression:2s
admissionregistration.v1beta1.ExpressionWarning fieldRef:2s warning:3s
admissionregistration.v1beta1.JSONPatch expression?:1s
admissionregistration.v1beta1.MatchCondition name:1s expression:2s
admissionregistration.v1beta1.MatchResources namespaceSelector?*:1@meta.v1.LabelSelector objectSelector?*:2@meta.v1.LabelSelector resourceRules?:3[]@.NamedRuleWithOperations excludeResourceRules?:4[]@.NamedRuleWithOperations matchPolicy?*:7s
admissionregistration.v1beta1.MutatingAdmissionPolicy metadata:1@meta.v1.ObjectMeta spec:2@.MutatingAdmissionPolicySpec
admissionregistration.v1beta1.MutatingAdmissionPolicyBinding metadata:1@meta.v1.ObjectMeta spec:2@.MutatingAdmissionPolicyBindingSpec
admissionregistration.v1beta1.MutatingAdmissionPolicyBindingList metadata:1@meta.v1.ListMeta items:2[]@.MutatingAdmissionPolicyBinding
admissionregistration.v1beta1.MutatingAdmissionPolicyBindingSpec policyName?:1s paramRef?*:2@.ParamRef matchResources?*:3@.MatchResources
admissionregistration.v1beta1.MutatingAdmissionPolicyList metadata:1@meta.v1.ListMeta items:2[]@.MutatingAdmissionPolicy
admissionregistration.v1beta1.MutatingAdmissionPolicySpec paramKind?*:1@.ParamKind matchConstraints?*:2@.MatchResources variables?:3[]@.Variable mutations?:4[]@.Mutation failurePolicy?*:5s matchConditions?:6[]@.MatchCondition reinvocationPolicy?:7s
admissionregistration.v1beta1.MutatingWebhook name:1s clientConfig:2@.WebhookClientConfig rules?:3[]@admissionregistration.v1.RuleWithOperations failurePolicy?*:4s matchPolicy?*:9s namespaceSelector?*:5@meta.v1.LabelSelector objectSelector?*:11@meta.v1.LabelSelector sideEffects?*:6s timeoutSeconds?*:7i admissionReviewVersions?:8[]s reinvocationPolicy?*:10s matchConditions?:12[]@.MatchCondition
admissionregistration.v1beta1.MutatingWebhookConfiguration metadata:1@meta.v1.ObjectMeta webhooks?:2[]@.MutatingWebhook
admissionregistration.v1beta1.MutatingWebhookConfigurationList metadata:1@meta.v1.ListMeta items:2[]@.MutatingWebhookConfiguration
admissionregistration.v1beta1.Mutation patchType:2s applyConfiguration?*:3@.ApplyConfiguration jsonPatch?*:4@.JSONPatch
admissionregistration.v1beta1.NamedRuleWithOperations resourceNames?:1[]s ^:2@admissionregistration.v1.RuleWithOperations
admissionregistration.v1beta1.ParamKind apiVersion?:1s kind?:2s
admissionregistration.v1beta1.ParamRef name?:1s namespace?:2s selector?*:3@meta.v1.LabelSelector parameterNotFoundAction?*:4s
admissionregistration.v1beta1.ServiceReference namespace:1s name:2s path?*:3s port?*:4i
admissionregistration.v1beta1.TypeChecking expressionWarnings?:1[]@.ExpressionWarning
admissionregistration.v1beta1.ValidatingAdmissionPolicy metadata:1@meta.v1.ObjectMeta spec:2@.ValidatingAdmissionPolicySpec status:3@.ValidatingAdmissionPolicyStatus
admissionregistration.v1beta1.ValidatingAdmissionPolicyBinding metadata:1@meta.v1.ObjectMeta spec:2@.ValidatingAdmissionPolicyBindingSpec
admissionregistration.v1beta1.ValidatingAdmissionPolicyBindingList metadata:1@meta.v1.ListMeta items:2[]@.ValidatingAdmissionPolicyBinding
admissionregistration.v1beta1.ValidatingAdmissionPolicyBindingSpec policyName?:1s paramRef?*:2@.ParamRef matchResources?*:3@.MatchResources validationActions?:4[]s
admissionregistration.v1beta1.ValidatingAdmissionPolicyList metadata:1@meta.v1.ListMeta items:2[]@.ValidatingAdmissionPolicy
admissionregistration.v1beta1.ValidatingAdmissionPolicySpec paramKind?*:1@.ParamKind matchConstraints?*:2@.MatchResources validations?:3[]@.Validation failurePolicy?*:4s auditAnnotations?:5[]@.AuditAnnotation matchConditions?:6[]@.MatchCondition variables?:7[]@.Variable
admissionregistration.v1beta1.ValidatingAdmissionPolicyStatus observedGeneration?:1l typeChecking?*:2@.TypeChecking conditions?:3[]@meta.v1.Condition
admissionregistration.v1beta1.ValidatingWebhook name:1s clientConfig:2@.WebhookClientConfig rules?:3[]@admissionregistration.v1.RuleWithOperations failurePolicy?*:4s matchPolicy?*:9s namespaceSelector?*:5@meta.v1.LabelSelector objectSelector?*:10@meta.v1.LabelSelector sideEffects?*:6s timeoutSeconds?*:7i admissionReviewVersions?:8[]s matchConditions?:11[]@.MatchCondition
admissionregistration.v1beta1.ValidatingWebhookConfiguration metadata:1@meta.v1.ObjectMeta webhooks?:2[]@.ValidatingWebhook
admissionregistration.v1beta1.ValidatingWebhookConfigurationList metadata:1@meta.v1.ListMeta items:2[]@.ValidatingWebhookConfiguration
admissionregistration.v1beta1.Validation expression:1s message?:2s reason?*:3s messageExpression?:4s
admissionregistration.v1beta1.Variable name:1s expression:2s
admissionregistration.v1beta1.WebhookClientConfig url?*:3s service?*:1@.ServiceReference caBundle?:2y
apiextensions.v1.ConversionRequest uid:1s desiredAPIVersion:2s objects:3[]e
apiextensions.v1.ConversionResponse uid:1s convertedObjects:2[]e result:3@meta.v1.Status
apiextensions.v1.ConversionReview request?*:1@.ConversionRequest response?*:2@.ConversionResponse
apiextensions.v1.CustomResourceColumnDefinition name:1s type:2s format?:3s description?:4s priority?:5i jsonPath:6s
apiextensions.v1.CustomResourceConversion strategy:1s webhook?*:2@.WebhookConversion
apiextensions.v1.CustomResourceDefinition metadata:1@meta.v1.ObjectMeta spec:2@.CustomResourceDefinitionSpec status:3@.CustomResourceDefinitionStatus
apiextensions.v1.CustomResourceDefinitionCondition type:1s status:2s lastTransitionTime:3t reason?:4s message?:5s observedGeneration?:6l
apiextensions.v1.CustomResourceDefinitionList metadata:1@meta.v1.ListMeta items:2[]@.CustomResourceDefinition
apiextensions.v1.CustomResourceDefinitionNames plural:1s singular?:2s shortNames?:3[]s kind:4s listKind?:5s categories?:6[]s
apiextensions.v1.CustomResourceDefinitionSpec group:1s names:3@.CustomResourceDefinitionNames scope:4s versions:7[]@.CustomResourceDefinitionVersion conversion?*:9@.CustomResourceConversion preserveUnknownFields?:10b
apiextensions.v1.CustomResourceDefinitionStatus conditions:1[]@.CustomResourceDefinitionCondition acceptedNames:2@.CustomResourceDefinitionNames storedVersions:3[]s observedGeneration?:4l
apiextensions.v1.CustomResourceDefinitionVersion name:1s served:2b storage:3b deprecated?:7b deprecationWarning?*:8s schema?*:4@.CustomResourceValidation subresources?*:5@.CustomResourceSubresources additionalPrinterColumns?:6[]@.CustomResourceColumnDefinition selectableFields?:9[]@.SelectableField
apiextensions.v1.CustomResourceSubresourceScale specReplicasPath:1s statusReplicasPath:2s labelSelectorPath?*:3s
apiextensions.v1.CustomResourceSubresourceStatus
apiextensions.v1.CustomResourceSubresources status?*:1@.CustomResourceSubresourceStatus scale?*:2@.CustomResourceSubresourceScale
apiextensions.v1.CustomResourceValidation openAPIV3Schema?*:1@.JSONSchemaProps
apiextensions.v1.ExternalDocumentation description?:1s url?:2s
apiextensions.v1.JSONSchemaProps id?:1s $schema?:2s $ref?*:3s description?:4s type?:5s format?:6s title?:7s default?*:8r maximum?*:9f exclusiveMaximum?:10b minimum?*:11f exclusiveMinimum?:12b maxLength?*:13l minLength?*:14l pattern?:15s maxItems?*:16l minItems?*:17l uniqueItems?:18b multipleOf?*:19f enum?:20[]r maxProperties?*:21l minProperties?*:22l required?:23[]s items?*:24a allOf?:25[]@.JSONSchemaProps oneOf?:26[]@.JSONSchemaProps anyOf?:27[]@.JSONSchemaProps not?*:28@.JSONSchemaProps properties?:29{}@.JSONSchemaProps additionalProperties?*:30o patternProperties?:31{}@.JSONSchemaProps dependencies?:32{}p additionalItems?*:33o definitions?:34{}@.JSONSchemaProps externalDocs?*:35@.ExternalDocumentation example?*:36r nullable?:37b x-kubernetes-preserve-unknown-fields?*:38b x-kubernetes-embedded-resource?:39b x-kubernetes-int-or-string?:40b x-kubernetes-list-map-keys?:41[]s x-kubernetes-list-type?*:42s x-kubernetes-map-type?*:43s x-kubernetes-validations?:44[]@.ValidationRule
apiextensions.v1.SelectableField jsonPath:1s
apiextensions.v1.ServiceReference namespace:1s name:2s path?*:3s port?*:4i
apiextensions.v1.ValidationRule rule:1s message?:2s messageExpression?:3s reason?*:4s fieldPath?:5s optionalOldSelf?*:6b
apiextensions.v1.WebhookClientConfig url?*:3s service?*:1@.ServiceReference caBundle?:2y
apiextensions.v1.WebhookConversion clientConfig?*:2@.WebhookClientConfig conversionReviewVersions:3[]s
apiregistration.v1.APIService metadata:1@meta.v1.ObjectMeta spec:2@.APIServiceSpec status:3@.APIServiceStatus
apiregistration.v1.APIServiceCondition type:1s status:2s lastTransitionTime:3t reason?:4s message?:5s
apiregistration.v1.APIServiceList metadata:1@meta.v1.ListMeta items:2[]@.APIService
apiregistration.v1.APIServiceSpec service?*:1@.ServiceReference group?:2s version?:3s insecureSkipTLSVerify?:4b caBundle?:5y groupPriorityMinimum:7i versionPriority:8i
apiregistration.v1.APIServiceStatus conditions?:1[]@.APIServiceCondition
apiregistration.v1.ServiceReference namespace?:1s name?:2s port?*:3i
apiserverinternal.v1alpha1.ServerStorageVersion apiServerID?:1s encodingVersion?:2s decodableVersions?:3[]s servedVersions?:4[]s
apiserverinternal.v1alpha1.StorageVersion metadata:1@meta.v1.ObjectMeta spec:2@.StorageVersionSpec status:3@.StorageVersionStatus
apiserverinternal.v1alpha1.StorageVersionCondition type:1s status:2s observedGeneration?:3l lastTransitionTime:4t reason:5s message?:6s
apiserverinternal.v1alpha1.StorageVersionList metadata:1@meta.v1.ListMeta items:2[]@.StorageVersion
apiserverinternal.v1alpha1.StorageVersionSpec
apiserverinternal.v1alpha1.StorageVersionStatus storageVersions?:1[]@.ServerStorageVersion commonEncodingVersion?*:2s conditions?:3[]@.StorageVersionCondition
apps.v1.ControllerRevision metadata:1@meta.v1.ObjectMeta data:2e revision:3l
apps.v1.ControllerRevisionList metadata:1@meta.v1.ListMeta items:2[]@.ControllerRevision
apps.v1.DaemonSet metadata:1@meta.v1.ObjectMeta spec:2@.DaemonSetSpec status:3@.DaemonSetStatus
apps.v1.DaemonSetCondition type:1s status:2s lastTransitionTime:3t reason?:4s message?:5s
apps.v1.DaemonSetList metadata:1@meta.v1.ListMeta items:2[]@.DaemonSet
apps.v1.DaemonSetSpec selector*:1@meta.v1.LabelSelector template:2@core.v1.PodTemplateSpec updateStrategy:3@.DaemonSetUpdateStrategy minReadySeconds?:4i revisionHistoryLimit?*:6i
apps.v1.DaemonSetStatus currentNumberScheduled:1i numberMisscheduled:2i desiredNumberScheduled:3i numberReady:4i observedGeneration?:5l updatedNumberScheduled?:6i numberAvailable?:7i numberUnavailable?:8i collisionCount?*:9i conditions?:10[]@.DaemonSetCondition
apps.v1.DaemonSetUpdateStrategy type?:1s rollingUpdate?*:2@.RollingUpdateDaemonSet
apps.v1.Deployment metadata:1@meta.v1.ObjectMeta spec:2@.DeploymentSpec status:3@.DeploymentStatus
apps.v1.DeploymentCondition type:1s status:2s lastUpdateTime:6t lastTransitionTime:7t reason?:4s message?:5s
apps.v1.DeploymentList metadata:1@meta.v1.ListMeta items:2[]@.Deployment
apps.v1.DeploymentSpec replicas?*:1i selector*:2@meta.v1.LabelSelector template:3@core.v1.PodTemplateSpec strategy:4@.DeploymentStrategy minReadySeconds?:5i revisionHistoryLimit?*:6i paused?:7b progressDeadlineSeconds?*:9i
apps.v1.DeploymentStatus observedGeneration?:1l replicas?:2i updatedReplicas?:3i readyReplicas?:7i availableReplicas?:4i unavailableReplicas?:5i terminatingReplicas?*:9i conditions?:6[]@.DeploymentCondition collisionCount?*:8i
apps.v1.DeploymentStrategy type?:1s rollingUpdate?*:2@.RollingUpdateDeployment
apps.v1.ReplicaSet metadata:1@meta.v1.ObjectMeta spec:2@.ReplicaSetSpec status:3@.ReplicaSetStatus
apps.v1.ReplicaSetCondition type:1s status:2s lastTransitionTime:3t reason?:4s message?:5s
apps.v1.ReplicaSetList metadata:1@meta.v1.ListMeta items:2[]@.ReplicaSet
apps.v1.ReplicaSetSpec replicas?*:1i minReadySeconds?:4i selector*:2@meta.v1.LabelSelector template:3@core.v1.PodTemplateSpec
apps.v1.ReplicaSetStatus replicas:1i fullyLabeledReplicas?:2i readyReplicas?:4i availableReplicas?:5i terminatingReplicas?*:7i observedGeneration?:3l conditions?:6[]@.ReplicaSetCondition
apps.v1.RollingUpdateDaemonSet maxUnavailable?*:1x maxSurge?*:2x
apps.v1.RollingUpdateDeployment maxUnavailable?*:1x maxSurge?*:2x
apps.v1.RollingUpdateStatefulSetStrategy partition?*:1i maxUnavailable?*:2x
apps.v1.StatefulSet metadata:1@meta.v1.ObjectMeta spec:2@.StatefulSetSpec status:3@.StatefulSetStatus
apps.v1.StatefulSetCondition type:1s status:2s lastTransitionTime:3t reason?:4s message?:5s
apps.v1.StatefulSetList metadata:1@meta.v1.ListMeta items:2[]@.StatefulSet
apps.v1.StatefulSetOrdinals start:1i
apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted?:1s whenScaled?:2s
apps.v1.StatefulSetSpec replicas?*:1i selector*:2@meta.v1.LabelSelector template:3@core.v1.PodTemplateSpec volumeClaimTemplates?:4[]@core.v1.PersistentVolumeClaim serviceName:5s podManagementPolicy?:6s updateStrategy:7@.StatefulSetUpdateStrategy revisionHistoryLimit?*:8i minReadySeconds?:9i persistentVolumeClaimRetentionPolicy?*:10@.StatefulSetPersistentVolumeClaimRetentionPolicy ordinals?*:11@.StatefulSetOrdinals
apps.v1.StatefulSetStatus observedGeneration?:1l replicas:2i readyReplicas?:3i currentReplicas?:4i updatedReplicas?:5i currentRevision?:6s updateRevision?:7s collisionCount?*:9i conditions?:10[]@.StatefulSetCondition availableReplicas:11i
apps.v1.StatefulSetUpdateStrategy type?:1s rollingUpdate?*:2@.RollingUpdateStatefulSetStrategy
apps.v1beta1.ControllerRevision metadata:1@meta.v1.ObjectMeta data:2e revision:3l
apps.v1beta1.ControllerRevisionList metadata:1@meta.v1.ListMeta items:2[]@.ControllerRevision
apps.v1beta1.Deployment metadata:1@meta.v1.ObjectMeta spec:2@.DeploymentSpec status:3@.DeploymentStatus
apps.v1beta1.DeploymentCondition type:1s status:2s lastUpdateTime:6t lastTransitionTime:7t reason?:4s message?:5s
apps.v1beta1.DeploymentList metadata:1@meta.v1.ListMeta items:2[]@.Deployment
apps.v1beta1.DeploymentRollback name:1s updatedAnnotations?:2{}s rollbackTo:3@.RollbackConfig
apps.v1beta1.DeploymentSpec replicas?*:1i selector?*:2@meta.v1.LabelSelector template:3@core.v1.PodTemplateSpec strategy:4@.DeploymentStrategy minReadySeconds?:5i revisionHistoryLimit?*:6i paused?:7b rollbackTo?*:8@.RollbackConfig progressDeadlineSeconds?*:9i
apps.v1beta1.DeploymentStatus observedGeneration?:1l replicas?:2i updatedReplicas?:3i readyReplicas?:7i availableReplicas?:4i unavailableReplicas?:5i terminatingReplicas?*:9i conditions?:6[]@.DeploymentCondition collisionCount?*:8i
apps.v1beta1.DeploymentStrategy type?:1s rollingUpdate?*:2@.RollingUpdateDeployment
apps.v1beta1.RollbackConfig revision?:1l
apps.v1beta1.RollingUpdateDeployment maxUnavailable?*:1x maxSurge?*:2x
apps.v1beta1.RollingUpdateStatefulSetStrategy partition?*:1i maxUnavailable?*:2x
apps.v1beta1.Scale metadata:1@meta.v1.ObjectMeta spec:2@.ScaleSpec status:3@.ScaleStatus
apps.v1beta1.ScaleSpec replicas?:1i
apps.v1beta1.ScaleStatus replicas:1i selector?:2{}s targetSelector?:3s
apps.v1beta1.StatefulSet metadata:1@meta.v1.ObjectMeta spec:2@.StatefulSetSpec status:3@.StatefulSetStatus
apps.v1beta1.StatefulSetCondition type:1s status:2s lastTransitionTime:3t reason?:4s message?:5s
apps.v1beta1.StatefulSetList metadata:1@meta.v1.ListMeta items:2[]@.StatefulSet
apps.v1beta1.StatefulSetOrdinals start:1i
apps.v1beta1.StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted?:1s whenScaled?:2s
apps.v1beta1.StatefulSetSpec replicas?*:1i selector?*:2@meta.v1.LabelSelector template:3@core.v1.PodTemplateSpec volumeClaimTemplates?:4[]@core.v1.PersistentVolumeClaim serviceName:5s podManagementPolicy?:6s updateStrategy:7@.StatefulSetUpdateStrategy revisionHistoryLimit?*:8i minReadySeconds?:9i persistentVolumeClaimRetentionPolicy?*:10@.StatefulSetPersistentVolumeClaimRetentionPolicy ordinals?*:11@.StatefulSetOrdinals
apps.v1beta1.StatefulSetStatus observedGeneration?*:1l replicas:2i readyReplicas?:3i currentReplicas?:4i updatedReplicas?:5i currentRevision?:6s updateRevision?:7s collisionCount?*:9i conditions?:10[]@.StatefulSetCondition availableReplicas:11i
apps.v1beta1.StatefulSetUpdateStrategy type?:1s rollingUpdate?*:2@.RollingUpdateStatefulSetStrategy
apps.v1beta2.ControllerRevision metadata:1@meta.v1.ObjectMeta data:2e revision:3l
apps.v1beta2.ControllerRevisionList metadata:1@meta.v1.ListMeta items:2[]@.ControllerRevision
apps.v1beta2.DaemonSet metadata:1@meta.v1.ObjectMeta spec:2@.DaemonSetSpec status:3@.DaemonSetStatus
apps.v1beta2.DaemonSetCondition type:1s status:2s lastTransitionTime:3t reason?:4s message?:5s
apps.v1beta2.DaemonSetList metadata:1@meta.v1.ListMeta items:2[]@.DaemonSet
apps.v1beta2.DaemonSetSpec selector*:1@meta.v1.LabelSelector template:2@core.v1.PodTemplateSpec updateStrategy:3@.DaemonSetUpdateStrategy minReadySeconds?:4i revisionHistoryLimit?*:6i
apps.v1beta2.DaemonSetStatus currentNumberScheduled:1i numberMisscheduled:2i desiredNumberScheduled:3i numberReady:4i observedGeneration?:5l updatedNumberScheduled?:6i numberAvailable?:7i numberUnavailable?:8i collisionCount?*:9i conditions?:10[]@.DaemonSetCondition
apps.v1beta2.DaemonSetUpdateStrategy type?:1s rollingUpdate?*:2@.RollingUpdateDaemonSet
apps.v1beta2.Deployment metadata:1@meta.v1.ObjectMeta spec:2@.DeploymentSpec status:3@.DeploymentStatus
apps.v1beta2.DeploymentCondition type:1s status:2s lastUpdateTime:6t lastTransitionTime:7t reason?:4s message?:5s
apps.v1beta2.DeploymentList metadata:1@meta.v1.ListMeta items:2[]@.Deployment
apps.v1beta2.DeploymentSpec replicas?*:1i selector*:2@meta.v1.LabelSelector template:3@core.v1.PodTemplateSpec strategy:4@.DeploymentStrategy minReadySeconds?:5i revisionHistoryLimit?*:6i paused?:7b progressDeadlineSeconds?*:9i
apps.v1beta2.DeploymentStatus observedGeneration?:1l replicas?:2i updatedReplicas?:3i readyReplicas?:7i availableReplicas?:4i unavailableReplicas?:5i terminatingReplicas?*:9i conditions?:6[]@.DeploymentCondition collisionCount?*:8i
apps.v1beta2.DeploymentStrategy type?:1s rollingUpdate?*:2@.RollingUpdateDeployment
apps.v1beta2.ReplicaSet metadata:1@meta.v1.ObjectMeta spec:2@.ReplicaSetSpec status:3@.ReplicaSetStatus
apps.v1beta2.ReplicaSetCondition type:1s status:2s lastTransitionTime:3t reason?:4s message?:5s
apps.v1beta2.ReplicaSetList metadata:1@meta.v1.ListMeta items:2[]@.ReplicaSet
apps.v1beta2.ReplicaSetSpec replicas?*:1i minReadySeconds?:4i selector*:2@meta.v1.LabelSelector template:3@core.v1.PodTemplateSpec
apps.v1beta2.ReplicaSetStatus replicas:1i fullyLabeledReplicas?:2i readyReplicas?:4i availableReplicas?:5i terminatingReplicas?*:7i observedGeneration?:3l conditions?:6[]@.ReplicaSetCondition
apps.v1beta2.RollingUpdateDaemonSet maxUnavailable?*:1x maxSurge?*:2x
apps.v1beta2.RollingUpdateDeployment maxUnavailable?*:1x maxSurge?*:2x
apps.v1beta2.RollingUpdateStatefulSetStrategy partition?*:1i maxUnavailable?*:2x
apps.v1beta2.Scale metadata:1@meta.v1.ObjectMeta spec:2@.ScaleSpec status:3@.ScaleStatus
apps.v1beta2.ScaleSpec replicas?:1i
apps.v1beta2.ScaleStatus replicas:1i selector?:2{}s targetSelector?:3s
apps.v1beta2.StatefulSet metadata:1@meta.v1.ObjectMeta spec:2@.StatefulSetSpec status:3@.StatefulSetStatus
apps.v1beta2.StatefulSetCondition type:1s status:2s lastTransitionTime:3t reason?:4s message?:5s
apps.v1beta2.StatefulSetList metadata:1@meta.v1.ListMeta items:2[]@.StatefulSet
apps.v1beta2.StatefulSetOrdinals start:1i
apps.v1beta2.StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted?:1s whenScaled?:2s
apps.v1beta2.StatefulSetSpec replicas?*:1i selector*:2@meta.v1.LabelSelector template:3@core.v1.PodTemplateSpec volumeClaimTemplates?:4[]@core.v1.PersistentVolumeClaim serviceName:5s podManagementPolicy?:6s updateStrategy:7@.StatefulSetUpdateStrategy revisionHistoryLimit?*:8i minReadySeconds?:9i persistentVolumeClaimRetentionPolicy?*:10@.StatefulSetPersistentVolumeClaimRetentionPolicy ordinals?*:11@.StatefulSetOrdinals
apps.v1beta2.StatefulSetStatus observedGeneration?:1l replicas:2i readyReplicas?:3i currentReplicas?:4i updatedReplicas?:5i currentRevision?:6s updateRevision?:7s collisionCount?*:9i conditions?:10[]@.StatefulSetCondition availableReplicas:11i
apps.v1beta2.StatefulSetUpdateStrategy type?:1s rollingUpdate?*:2@.RollingUpdateStatefulSetStrategy
authentication.v1.BoundObjectReference kind?:1s apiVersion?:2s name?:3s uid?:4s
authentication.v1.SelfSubjectReview metadata:1@meta.v1.ObjectMeta status:2@.SelfSubjectReviewStatus
authentication.v1.SelfSubjectReviewStatus userInfo:1@.UserInfo
authentication.v1.TokenRequest metadata:1@meta.v1.ObjectMeta spec:2@.TokenRequestSpec status:3@.TokenRequestStatus
authentication.v1.TokenRequestSpec audiences:1[]s expirationSeconds*:4l boundObjectRef*:3@.BoundObjectReference attestations?:5{}n
authentication.v1.TokenRequestStatus token:1s expirationTimestamp:2t
authentication.v1.TokenReview metadata:1@meta.v1.ObjectMeta spec:2@.TokenReviewSpec status:3@.TokenReviewStatus
authentication.v1.TokenReviewSpec token?:1s audiences?:2[]s
authentication.v1.TokenReviewStatus authenticated?:1b user:2@.UserInfo audiences?:4[]s error?:3s
authentication.v1.UserInfo username?:1s uid?:2s groups?:3[]s extra?:4{}n
authentication.v1alpha1.SelfSubjectReview metadata:1@meta.v1.ObjectMeta status:2@.SelfSubjectReviewStatus
authentication.v1alpha1.SelfSubjectReviewStatus userInfo:1@authentication.v1.UserInfo
authentication.v1beta1.SelfSubjectReview metadata:1@meta.v1.ObjectMeta status:2@.SelfSubjectReviewStatus
authentication.v1beta1.SelfSubjectReviewStatus userInfo:1@authentication.v1.UserInfo
authentication.v1beta1.TokenReview metadata:1@meta.v1.ObjectMeta spec:2@.TokenReviewSpec status:3@.TokenReviewStatus
authentication.v1beta1.TokenReviewSpec token?:1s audiences?:2[]s
authentication.v1beta1.TokenReviewStatus authenticated?:1b user:2@.UserInfo audiences?:4[]s error?:3s
authentication.v1beta1.UserInfo username?:1s uid?:2s groups?:3[]s extra?:4{}n
authorization.v1.FieldSelectorAttributes rawSelector?:1s requirements?:2[]@meta.v1.FieldSelectorRequirement
authorization.v1.LabelSelectorAttributes rawSelector?:1s requirements?:2[]@meta.v1.LabelSelectorRequirement
authorization.v1.LocalSubjectAccessReview metadata:1@meta.v1.ObjectMeta spec:2@.SubjectAccessReviewSpec status:3@.SubjectAccessReviewStatus
authorization.v1.NonResourceAttributes path?:1s verb?:2s
authorization.v1.NonResourceRule verbs:1[]s nonResourceURLs?:2[]s
authorization.v1.ResourceAttributes namespace?:1s verb?:2s group?:3s version?:4s resource?:5s subresource?:6s name?:7s fieldSelector?*:8@.FieldSelectorAttributes labelSelector?*:9@.LabelSelectorAttributes
authorization.v1.ResourceRule verbs:1[]s apiGroups?:2[]s resources?:3[]s resourceNames?:4[]s
authorization.v1.SelfSubjectAccessReview metadata:1@meta.v1.ObjectMeta spec:2@.SelfSubjectAccessReviewSpec status:3@.SubjectAccessReviewStatus
authorization.v1.SelfSubjectAccessReviewSpec resourceAttributes?*:1@.ResourceAttributes nonResourceAttributes?*:2@.NonResourceAttributes
authorization.v1.SelfSubjectRulesReview metadata:1@meta.v1.ObjectMeta spec:2@.SelfSubjectRulesReviewSpec status:3@.SubjectRulesReviewStatus
authorization.v1.SelfSubjectRulesReviewSpec namespace?:1s
authorization.v1.SubjectAccessReview metadata:1@meta.v1.ObjectMeta spec:2@.SubjectAccessReviewSpec status:3@.SubjectAccessReviewStatus
authorization.v1.SubjectAccessReviewSpec resourceAttributes?*:1@.ResourceAttributes nonResourceAttributes?*:2@.NonResourceAttributes user?:3s groups?:4[]s extra?:5{}n uid?:6s
authorization.v1.SubjectAccessReviewStatus allowed:1b denied?:4b reason?:2s evaluationError?:3s
authorization.v1.SubjectRulesReviewStatus resourceRules:1[]@.ResourceRule nonResourceRules:2[]@.NonResourceRule incomplete:3b evaluationError?:4s
authorization.v1beta1.LocalSubjectAccessReview metadata:1@meta.v1.ObjectMeta spec:2@.SubjectAccessReviewSpec status:3@.SubjectAccessReviewStatus
authorization.v1beta1.NonResourceAttributes path?:1s verb?:2s
authorization.v1beta1.NonResourceRule verbs:1[]s nonResourceURLs?:2[]s
authorization.v1beta1.ResourceAttributes namespace?:1s verb?:2s group?:3s version?:4s resource?:5s subresource?:6s name?:7s fieldSelector?*:8@authorization.v1.FieldSelectorAttributes labelSelector?*:9@authorization.v1.LabelSelectorAttributes
authorization.v1beta1.ResourceRule verbs:1[]s apiGroups?:2[]s resources?:3[]s resourceNames?:4[]s
authorization.v1beta1.SelfSubjectAccessReview metadata:1@meta.v1.ObjectMeta spec:2@.SelfSubjectAccessReviewSpec status:3@.SubjectAccessReviewStatus
authorization.v1beta1.SelfSubjectAccessReviewSpec resourceAttributes?*:1@.ResourceAttributes nonResourceAttributes?*:2@.NonResourceAttributes
authorization.v1beta1.SelfSubjectRulesReview metadata:1@meta.v1.ObjectMeta spec:2@.SelfSubjectRulesReviewSpec status:3@.SubjectRulesReviewStatus
authorization.v1beta1.SelfSubjectRulesReviewSpec namespace?:1s
authorization.v1beta1.SubjectAccessReview metadata:1@meta.v1.ObjectMeta spec:2@.SubjectAccessReviewSpec status:3@.SubjectAccessReviewStatus
authorization.v1beta1.SubjectAccessReviewSpec resourceAttributes?*:1@.ResourceAttributes nonResourceAttributes?*:2@.NonResourceAttributes user?:3s group?:4[]s extra?:5{}n uid?:6s
authorization.v1beta1.SubjectAccessReviewStatus allowed:1b denied?:4b reason?:2s evaluationError?:3s
authorization.v1beta1.SubjectRulesReviewStatus resourceRules:1[]@.ResourceRule nonResourceRules:2[]@.NonResourceRule incomplete:3b evaluationError?:4s
autoscaling.v1.CrossVersionObjectReference kind:1s name:2s apiVersion?:3s
autoscaling.v1.HorizontalPodAutoscaler metadata:1@meta.v1.ObjectMeta spec:2@.HorizontalPodAutoscalerSpec status:3@.HorizontalPodAutoscalerStatus
autoscaling.v1.HorizontalPodAutoscalerList metadata:1@meta.v1.ListMeta items:2[]@.HorizontalPodAutoscaler
autoscaling.v1.HorizontalPodAutoscalerSpec scaleTargetRef:1@.CrossVersionObjectReference minReplicas?*:2i maxReplicas:3i targetCPUUtilizationPercentage?*:4i
autoscaling.v1.HorizontalPodAutoscalerStatus observedGeneration?*:1l lastScaleTime?*:2t currentReplicas:3i desiredReplicas:4i currentCPUUtilizationPercentage?*:5i
autoscaling.v1.Scale metadata:1@meta.v1.ObjectMeta spec:2@.ScaleSpec status:3@.ScaleStatus
autoscaling.v1.ScaleSpec replicas?:1i
autoscaling.v1.ScaleStatus replicas:1i selector?:2s
autoscaling.v2.ContainerResourceMetricSource name:1s target:2@.MetricTarget container:3s
autoscaling.v2.ContainerResourceMetricStatus name:1s current:2@.MetricValueStatus container:3s
autoscaling.v2.CrossVersionObjectReference kind:1s name:2s apiVersion?:3s
autoscaling.v2.ExternalMetricSource metric:1@.MetricIdentifier target:2@.MetricTarget
autoscaling.v2.ExternalMetricStatus metric:1@.MetricIdentifier current:2@.MetricValueStatus
autoscaling.v2.HPAScalingPolicy type:1s value:2i periodSeconds:3i
autoscaling.v2.HPAScalingRules stabilizationWindowSeconds?*:3i selectPolicy?*:1s policies?:2[]@.HPAScalingPolicy tolerance?*:4q
autoscaling.v2.HorizontalPodAutoscaler metadata:1@meta.v1.ObjectMeta spec:2@.HorizontalPodAutoscalerSpec status:3@.HorizontalPodAutoscalerStatus
autoscaling.v2.HorizontalPodAutoscalerBehavior scaleUp?*:1@.HPAScalingRules scaleDown?*:2@.HPAScalingRules
autoscaling.v2.HorizontalPodAutoscalerCondition type:1s status:2s lastTransitionTime:3t reason?:4s message?:5s observedGeneration?*:6l
autoscaling.v2.HorizontalPodAutoscalerList metadata:1@meta.v1.ListMeta items:2[]@.HorizontalPodAutoscaler
autoscaling.v2.HorizontalPodAutoscalerSpec scaleTargetRef:1@.CrossVersionObjectReference minReplicas?*:2i maxReplicas:3i metrics?:4[]@.MetricSpec behavior?*:5@.HorizontalPodAutoscalerBehavior
autoscaling.v2.HorizontalPodAutoscalerStatus observedGeneration?*:1l lastScaleTime?*:2t currentReplicas?:3i desiredReplicas:4i currentMetrics:5[]@.MetricStatus conditions?:6[]@.HorizontalPodAutoscalerCondition
autoscaling.v2.MetricIdentifier name:1s selector?*:2@meta.v1.LabelSelector
autoscaling.v2.MetricSpec type:1s object?*:2@.ObjectMetricSource pods?*:3@.PodsMetricSource resource?*:4@.ResourceMetricSource containerResource?*:7@.ContainerResourceMetricSource external?*:5@.ExternalMetricSource
autoscaling.v2.MetricStatus type:1s object?*:2@.ObjectMetricStatus pods?*:3@.PodsMetricStatus resource?*:4@.ResourceMetricStatus containerResource?*:7@.ContainerResourceMetricStatus external?*:5@.ExternalMetricStatus
autoscaling.v2.MetricTarget type:1s value?*:2q averageValue?*:3q averageUtilization?*:4i
autoscaling.v2.MetricValueStatus value?*:1q averageValue?*:2q averageUtilization?*:3i
autoscaling.v2.ObjectMetricSource describedObject:1@.CrossVersionObjectReference target:2@.MetricTarget metric:3@.MetricIdentifier
autoscaling.v2.ObjectMetricStatus metric:1@.MetricIdentifier current:2@.MetricValueStatus describedObject:3@.CrossVersionObjectReference
autoscaling.v2.PodsMetricSource metric:1@.MetricIdentifier target:2@.MetricTarget
autoscaling.v2.PodsMetricStatus metric:1@.MetricIdentifier current:2@.MetricValueStatus
autoscaling.v2.ResourceMetricSource name:1s target:2@.MetricTarget
autoscaling.v2.ResourceMetricStatus name:1s current:2@.MetricValueStatus
autoscaling.v2beta1.ContainerResourceMetricSource name:1s targetAverageUtilization?*:2i targetAverageValue?*:3q container:4s
autoscaling.v2beta1.ContainerResourceMetricStatus name:1s currentAverageUtilization?*:2i currentAverageValue:3q container:4s
autoscaling.v2beta1.CrossVersionObjectReference kind:1s name:2s apiVersion?:3s
autoscaling.v2beta1.ExternalMetricSource metricName:1s metricSelector?*:2@meta.v1.LabelSelector targetValue?*:3q targetAverageValue?*:4q
autoscaling.v2beta1.ExternalMetricStatus metricName:1s metricSelector?*:2@meta.v1.LabelSelector currentValue:3q currentAverageValue?*:4q
autoscaling.v2beta1.HorizontalPodAutoscaler metadata:1@meta.v1.ObjectMeta spec:2@.HorizontalPodAutoscalerSpec status:3@.HorizontalPodAutoscalerStatus
autoscaling.v2beta1.HorizontalPodAutoscalerCondition type:1s status:2s lastTransitionTime:3t reason?:4s message?:5s
autoscaling.v2beta1.HorizontalPodAutoscalerList metadata:1@meta.v1.ListMeta items:2[]@.HorizontalPodAutoscaler
autoscaling.v2beta1.HorizontalPodAutoscalerSpec scaleTargetRef:1@.CrossVersionObjectReference minReplicas?*:2i maxReplicas:3i metrics?:4[]@.MetricSpec
autoscaling.v2beta1.HorizontalPodAutoscalerStatus observedGeneration?*:1l lastScaleTime?*:2t currentReplicas:3i desiredReplicas:4i currentMetrics:5[]@.MetricStatus conditions:6[]@.HorizontalPodAutoscalerCondition
autoscaling.v2beta1.MetricSpec type:1s object?*:2@.ObjectMetricSource pods?*:3@.PodsMetricSource resource?*:4@.ResourceMetricSource containerResource?*:7@.ContainerResourceMetricSource external?*:5@.ExternalMetricSource
autoscaling.v2beta1.MetricStatus type:1s object?*:2@.ObjectMetricStatus pods?*:3@.PodsMetricStatus resource?*:4@.ResourceMetricStatus containerResource?*:7@.ContainerResourceMetricStatus external?*:5@.ExternalMetricStatus
autoscaling.v2beta1.ObjectMetricSource target:1@.CrossVersionObjectReference metricName:2s targetValue:3q selector?*:4@meta.v1.LabelSelector averageValue?*:5q
autoscaling.v2beta1.ObjectMetricStatus target:1@.CrossVersionObjectReference metricName:2s currentValue:3q selector?*:4@meta.v1.LabelSelector averageValue?*:5q
autoscaling.v2beta1.PodsMetricSource metricName:1s targetAverageValue:2q selector?*:3@meta.v1.LabelSelector
autoscaling.v2beta1.PodsMetricStatus metricName:1s currentAverageValue:2q selector?*:3@meta.v1.LabelSelector
autoscaling.v2beta1.ResourceMetricSource name:1s targetAverageUtilization?*:2i targetAverageValue?*:3q
autoscaling.v2beta1.ResourceMetricStatus name:1s currentAverageUtilization?*:2i currentAverageValue:3q
autoscaling.v2beta2.ContainerResourceMetricSource name:1s target:2@.MetricTarget container:3s
autoscaling.v2beta2.ContainerResourceMetricStatus name:1s current:2@.MetricValueStatus container:3s
autoscaling.v2beta2.CrossVersionObjectReference kind:1s name:2s apiVersion?:3s
autoscaling.v2beta2.ExternalMetricSource metric:1@.MetricIdentifier target:2@.MetricTarget
autoscaling.v2beta2.ExternalMetricStatus metric:1@.MetricIdentifier current:2@.MetricValueStatus
autoscaling.v2beta2.HPAScalingPolicy type:1s value:2i periodSeconds:3i
autoscaling.v2beta2.HPAScalingRules stabilizationWindowSeconds?*:3i selectPolicy?*:1s policies?:2[]@.HPAScalingPolicy
autoscaling.v2beta2.HorizontalPodAutoscaler metadata:1@meta.v1.ObjectMeta spec:2@.HorizontalPodAutoscalerSpec status:3@.HorizontalPodAutoscalerStatus
autoscaling.v2beta2.HorizontalPodAutoscalerBehavior scaleUp?*:1@.HPAScalingRules scaleDown?*:2@.HPAScalingRules
autoscaling.v2beta2.HorizontalPodAutoscalerCondition type:1s status:2s lastTransitionTime:3t reason?:4s message?:5s
autoscaling.v2beta2.HorizontalPodAutoscalerList metadata:1@meta.v1.ListMeta items:2[]@.HorizontalPodAutoscaler
autoscaling.v2beta2.HorizontalPodAutoscalerSpec scaleTargetRef:1@.CrossVersionObjectReference minReplicas?*:2i maxReplicas:3i metrics?:4[]@.MetricSpec behavior?*:5@.HorizontalPodAutoscalerBehavior
autoscaling.v2beta2.HorizontalPodAutoscalerStatus observedGeneration?*:1l lastScaleTime?*:2t currentReplicas:3i desiredReplicas:4i currentMetrics:5[]@.MetricStatus conditions:6[]@.HorizontalPodAutoscalerCondition
autoscaling.v2beta2.MetricIdentifier name:1s selector?*:2@meta.v1.LabelSelector
autoscaling.v2beta2.MetricSpec type:1s object?*:2@.ObjectMetricSource pods?*:3@.PodsMetricSource resource?*:4@.ResourceMetricSource containerResource?*:7@.ContainerResourceMetricSource external?*:5@.ExternalMetricSource
autoscaling.v2beta2.MetricStatus type:1s object?*:2@.ObjectMetricStatus pods?*:3@.PodsMetricStatus resource?*:4@.ResourceMetricStatus containerResource?*:7@.ContainerResourceMetricStatus external?*:5@.ExternalMetricStatus
autoscaling.v2beta2.MetricTarget type:1s value?*:2q averageValue?*:3q averageUtilization?*:4i
autoscaling.v2beta2.MetricValueStatus value?*:1q averageValue?*:2q averageUtilization?*:3i
autoscaling.v2beta2.ObjectMetricSource describedObject:1@.CrossVersionObjectReference target:2@.MetricTarget metric:3@.MetricIdentifier
autoscaling.v2beta2.ObjectMetricStatus metric:1@.MetricIdentifier current:2@.MetricValueStatus describedObject:3@.CrossVersionObjectReference
autoscaling.v2beta2.PodsMetricSource metric:1@.MetricIdentifier target:2@.MetricTarget
autoscaling.v2beta2.PodsMetricStatus metric:1@.MetricIdentifier current:2@.MetricValueStatus
autoscaling.v2beta2.ResourceMetricSource name:1s target:2@.MetricTarget
autoscaling.v2beta2.ResourceMetricStatus name:1s current:2@.MetricValueStatus
batch.v1.CronJob metadata:1@meta.v1.ObjectMeta spec:2@.CronJobSpec status:3@.CronJobStatus
batch.v1.CronJobList metadata:1@meta.v1.ListMeta items:2[]@.CronJob
batch.v1.CronJobSpec schedule:1s timeZone?*:8s startingDeadlineSeconds?*:2l concurrencyPolicy?:3s suspend?*:4b jobTemplate:5@.JobTemplateSpec successfulJobsHistoryLimit?*:6i failedJobsHistoryLimit?*:7i
batch.v1.CronJobStatus active?:1[]@core.v1.ObjectReference lastScheduleTime?*:4t lastSuccessfulTime?*:5t
batch.v1.Job metadata:1@meta.v1.ObjectMeta spec:2@.JobSpec status:3@.JobStatus
batch.v1.JobCondition type:1s status:2s lastProbeTime:3t lastTransitionTime:4t reason?:5s message?:6s
batch.v1.JobList metadata:1@meta.v1.ListMeta items:2[]@.Job
batch.v1.JobSchedulingConfiguration schedulingPolicy?*:1@scheduling.v1alpha3.WorkloadPodGroupSchedulingPolicy schedulingConstraints?*:2@scheduling.v1alpha3.WorkloadPodGroupSchedulingConstraints disruptionMode?*:3@scheduling.v1alpha3.WorkloadPodGroupDisruptionMode resourceClaims?:4[]@scheduling.v1alpha3.WorkloadPodGroupResourceClaim
batch.v1.JobSpec parallelism?*:1i completions?*:2i activeDeadlineSeconds?*:3l podFailurePolicy?*:11@.PodFailurePolicy successPolicy?*:16@.SuccessPolicy backoffLimit?*:7i backoffLimitPerIndex?*:12i maxFailedIndexes?*:13i selector?*:4@meta.v1.LabelSelector manualSelector?*:5b template:6@core.v1.PodTemplateSpec ttlSecondsAfterFinished?*:8i completionMode?*:9s suspend?*:10b podReplacementPolicy?*:14s managedBy?*:15s scheduling?*:17@.JobSchedulingConfiguration
batch.v1.JobStatus conditions?:1[]@.JobCondition startTime?*:2t completionTime?*:3t active?:4i succeeded?:5i failed?:6i terminating?*:11i completedIndexes?:7s failedIndexes?*:10s uncountedTerminatedPods?*:8@.UncountedTerminatedPods ready?*:9i
batch.v1.JobTemplateSpec metadata:1@meta.v1.ObjectMeta spec:2@.JobSpec
batch.v1.PodFailurePolicy rules:1[]@.PodFailurePolicyRule
batch.v1.PodFailurePolicyOnExitCodesRequirement containerName?*:1s operator:2s values:3[]i
batch.v1.PodFailurePolicyOnPodConditionsPattern type:1s status:2s
batch.v1.PodFailurePolicyRule action:1s onExitCodes?*:2@.PodFailurePolicyOnExitCodesRequirement onPodConditions?:3[]@.PodFailurePolicyOnPodConditionsPattern
batch.v1.SuccessPolicy rules:1[]@.SuccessPolicyRule
batch.v1.SuccessPolicyRule succeededIndexes?*:1s succeededCount?*:2i
batch.v1.UncountedTerminatedPods succeeded?:1[]s failed?:2[]s
batch.v1beta1.CronJob metadata:1@meta.v1.ObjectMeta spec:2@.CronJobSpec status:3@.CronJobStatus
batch.v1beta1.CronJobList metadata:1@meta.v1.ListMeta items:2[]@.CronJob
batch.v1beta1.CronJobSpec schedule:1s timeZone?*:8s startingDeadlineSeconds?*:2l concurrencyPolicy?:3s suspend?*:4b jobTemplate:5@.JobTemplateSpec successfulJobsHistoryLimit?*:6i failedJobsHistoryLimit?*:7i
batch.v1beta1.CronJobStatus active?:1[]@core.v1.ObjectReference lastScheduleTime?*:4t lastSuccessfulTime?*:5t
batch.v1beta1.JobTemplateSpec metadata:1@meta.v1.ObjectMeta spec:2@batch.v1.JobSpec
certificates.v1.CertificateSigningRequest metadata:1@meta.v1.ObjectMeta spec:2@.CertificateSigningRequestSpec status:3@.CertificateSigningRequestStatus
certificates.v1.CertificateSigningRequestCondition type:1s status:6s reason?:2s message?:3s lastUpdateTime:4t lastTransitionTime:5t
certificates.v1.CertificateSigningRequestList metadata:1@meta.v1.ListMeta items:2[]@.CertificateSigningRequest
certificates.v1.CertificateSigningRequestSpec request:1y signerName:7s expirationSeconds?*:8i usages?:5[]s username?:2s uid?:3s groups?:4[]s extra?:6{}n
certificates.v1.CertificateSigningRequestStatus conditions?:1[]@.CertificateSigningRequestCondition certificate?:2y
certificates.v1.ClusterTrustBundle metadata:1@meta.v1.ObjectMeta spec:2@.ClusterTrustBundleSpec
certificates.v1.ClusterTrustBundleList metadata:1@meta.v1.ListMeta items:2[]@.ClusterTrustBundle
certificates.v1.ClusterTrustBundleSpec signerName?:1s trustBundle:2s
certificates.v1.PodCertificateRequest metadata:1@meta.v1.ObjectMeta spec:2@.PodCertificateRequestSpec status:3@.PodCertificateRequestStatus
certificates.v1.PodCertificateRequestList metadata:1@meta.v1.ListMeta items:2[]@.PodCertificateRequest
certificates.v1.PodCertificateRequestSpec signerName:1s podName:2s podUID:3s serviceAccountName:4s serviceAccountUID:5s nodeName:6s nodeUID:7s maxExpirationSeconds?*:8i stubPKCS10Request:12y unverifiedUserAnnotations?:11{}s
certificates.v1.PodCertificateRequestStatus conditions?:1[]@meta.v1.Condition certificateChain?:2s notBefore?*:4t beginRefreshAt?*:5t notAfter?*:6t
certificates.v1alpha1.ClusterTrustBundle metadata:1@meta.v1.ObjectMeta spec:2@.ClusterTrustBundleSpec
certificates.v1alpha1.ClusterTrustBundleList metadata:1@meta.v1.ListMeta items:2[]@.ClusterTrustBundle
certificates.v1alpha1.ClusterTrustBundleSpec signerName?:1s trustBundle:2s
certificates.v1alpha1.PodCertificateRequest metadata:1@meta.v1.ObjectMeta spec:2@.PodCertificateRequestSpec status:3@.PodCertificateRequestStatus
certificates.v1alpha1.PodCertificateRequestList metadata:1@meta.v1.ListMeta items:2[]@.PodCertificateRequest
certificates.v1alpha1.PodCertificateRequestSpec signerName:1s podName:2s podUID:3s serviceAccountName:4s serviceAccountUID:5s nodeName:6s nodeUID:7s maxExpirationSeconds?*:8i pkixPublicKey:9y proofOfPossession:10y
certificates.v1alpha1.PodCertificateRequestStatus conditions?:1[]@meta.v1.Condition certificateChain?:2s notBefore?*:4t beginRefreshAt?*:5t notAfter?*:6t
certificates.v1beta1.CertificateSigningRequest metadata:1@meta.v1.ObjectMeta spec:2@.CertificateSigningRequestSpec status:3@.CertificateSigningRequestStatus
certificates.v1beta1.CertificateSigningRequestCondition type:1s status:6s reason?:2s message?:3s lastUpdateTime:4t lastTransitionTime:5t
certificates.v1beta1.CertificateSigningRequestList metadata:1@meta.v1.ListMeta items:2[]@.CertificateSigningRequest
certificates.v1beta1.CertificateSigningRequestSpec request:1y signerName?*:7s expirationSeconds?*:8i usages?:5[]s username?:2s uid?:3s groups?:4[]s extra?:6{}n
certificates.v1beta1.CertificateSigningRequestStatus conditions?:1[]@.CertificateSigningRequestCondition certificate?:2y
certificates.v1beta1.ClusterTrustBundle metadata:1@meta.v1.ObjectMeta spec:2@.ClusterTrustBundleSpec
certificates.v1beta1.ClusterTrustBundleList metadata:1@meta.v1.ListMeta items:2[]@.ClusterTrustBundle
certificates.v1beta1.ClusterTrustBundleSpec signerName?:1s trustBundle:2s
certificates.v1beta1.PodCertificateRequest metadata:1@meta.v1.ObjectMeta spec:2@.PodCertificateRequestSpec status:3@.PodCertificateRequestStatus
certificates.v1beta1.PodCertificateRequestList metadata:1@meta.v1.ListMeta items:2[]@.PodCertificateRequest
certificates.v1beta1.PodCertificateRequestSpec signerName:1s podName:2s podUID:3s serviceAccountName:4s serviceAccountUID:5s nodeName:6s nodeUID:7s maxExpirationSeconds?*:8i pkixPublicKey:9y proofOfPossession:10y stubPKCS10Request:12y unverifiedUserAnnotations?:11{}s
certificates.v1beta1.PodCertificateRequestStatus conditions?:1[]@meta.v1.Condition certificateChain?:2s notBefore?*:4t beginRefreshAt?*:5t notAfter?*:6t
coordination.v1.Lease metadata:1@meta.v1.ObjectMeta spec:2@.LeaseSpec
coordination.v1.LeaseList metadata:1@meta.v1.ListMeta items:2[]@.Lease
coordination.v1.LeaseSpec holderIdentity?*:1s leaseDurationSeconds?*:2i acquireTime?*:3m renewTime?*:4m leaseTransitions?*:5i strategy?*:6s preferredHolder?*:7s
coordination.v1alpha2.LeaseCandidate metadata:1@meta.v1.ObjectMeta spec:2@.LeaseCandidateSpec
coordination.v1alpha2.LeaseCandidateList metadata:1@meta.v1.ListMeta items:2[]@.LeaseCandidate
coordination.v1alpha2.LeaseCandidateSpec leaseName:1s pingTime?*:2m renewTime?*:3m binaryVersion:4s emulationVersion?:5s strategy?:6s
coordination.v1beta1.Lease metadata:1@meta.v1.ObjectMeta spec:2@.LeaseSpec
coordination.v1beta1.LeaseCandidate metadata:1@meta.v1.ObjectMeta spec:2@.LeaseCandidateSpec
coordination.v1beta1.LeaseCandidateList metadata:1@meta.v1.ListMeta items:2[]@.LeaseCandidate
coordination.v1beta1.LeaseCandidateSpec leaseName:1s pingTime?*:2m renewTime?*:3m binaryVersion:4s emulationVersion?:5s strategy?:6s
coordination.v1beta1.LeaseList metadata:1@meta.v1.ListMeta items:2[]@.Lease
coordination.v1beta1.LeaseSpec holderIdentity?*:1s leaseDurationSeconds?*:2i acquireTime?*:3m renewTime?*:4m leaseTransitions?*:5i strategy?*:6s preferredHolder?*:7s
core.v1.AWSElasticBlockStoreVolumeSource volumeID:1s fsType?:2s partition?:3i readOnly?:4b
core.v1.Affinity nodeAffinity?*:1@.NodeAffinity podAffinity?*:2@.PodAffinity podAntiAffinity?*:3@.PodAntiAffinity
core.v1.AppArmorProfile type:1s localhostProfile?*:2s
core.v1.AttachedVolume name:1s devicePath:2s
core.v1.AzureDiskVolumeSource diskName:1s diskURI:2s cachingMode?*:3s fsType?*:4s readOnly?*:5b kind?*:6s
core.v1.AzureFilePersistentVolumeSource secretName:1s shareName:2s readOnly?:3b secretNamespace*:4s
core.v1.AzureFileVolumeSource secretName:1s shareName:2s readOnly?:3b
core.v1.Binding metadata:1@meta.v1.ObjectMeta target:2@.ObjectReference
core.v1.CSIPersistentVolumeSource driver:1s volumeHandle:2s readOnly?:3b fsType?:4s volumeAttributes?:5{}s controllerPublishSecretRef?*:6@.SecretReference nodeStageSecretRef?*:7@.SecretReference nodePublishSecretRef?*:8@.SecretReference controllerExpandSecretRef?*:9@.SecretReference nodeExpandSecretRef?*:10@.SecretReference
core.v1.CSIVolumeSource driver:1s readOnly?*:2b fsType?*:3s volumeAttributes?:4{}s nodePublishSecretRef?*:5@.LocalObjectReference
core.v1.Capabilities add?:1[]s drop?:2[]s
core.v1.CephFSPersistentVolumeSource monitors:1[]s path?:2s user?:3s secretFile?:4s secretRef?*:5@.SecretReference readOnly?:6b
core.v1.CephFSVolumeSource monitors:1[]s path?:2s user?:3s secretFile?:4s secretRef?*:5@.LocalObjectReference readOnly?:6b
core.v1.CinderPersistentVolumeSource volumeID:1s fsType?:2s readOnly?:3b secretRef?*:4@.SecretReference
core.v1.CinderVolumeSource volumeID:1s fsType?:2s readOnly?:3b secretRef?*:4@.LocalObjectReference
core.v1.ClientIPConfig timeoutSeconds?*:1i
core.v1.ClusterTrustBundleProjection name?*:1s signerName?*:2s labelSelector?*:3@meta.v1.LabelSelector optional?*:5b path:4s user?*:6l
core.v1.ComponentCondition type:1s status:2s message?:3s error?:4s
core.v1.ComponentStatus metadata:1@meta.v1.ObjectMeta conditions?:2[]@.ComponentCondition
core.v1.ComponentStatusList metadata:1@meta.v1.ListMeta items:2[]@.ComponentStatus
core.v1.ConfigMap metadata:1@meta.v1.ObjectMeta immutable?*:4b data?:2{}s binaryData?:3{}y
core.v1.ConfigMapEnvSource ^:1@.LocalObjectReference optional?*:2b
core.v1.ConfigMapKeySelector ^:1@.LocalObjectReference key:2s optional?*:3b
core.v1.ConfigMapList metadata:1@meta.v1.ListMeta items:2[]@.ConfigMap
core.v1.ConfigMapNodeConfigSource namespace:1s name:2s uid?:3s resourceVersion?:4s kubeletConfigKey:5s
core.v1.ConfigMapProjection ^:1@.LocalObjectReference items?:2[]@.KeyToPath optional?*:4b
core.v1.ConfigMapVolumeSource ^:1@.LocalObjectReference items?:2[]@.KeyToPath defaultMode?*:3i optional?*:4b defaultUser?*:5l
core.v1.Container name:1s image?:2s command?:3[]s args?:4[]s workingDir?:5s ports?:6[]@.ContainerPort envFrom?:19[]@.EnvFromSource env?:7[]@.EnvVar resources:8@.ResourceRequirements resizePolicy?:23[]@.ContainerResizePolicy restartPolicy?*:24s restartPolicyRules?:25[]@.ContainerRestartRule volumeMounts?:9[]@.VolumeMount volumeDevices?:21[]@.VolumeDevice livenessProbe?*:10@.Probe readinessProbe?*:11@.Probe startupProbe?*:22@.Probe lifecycle?*:12@.Lifecycle terminationMessagePath?:13s terminationMessagePolicy?:20s imagePullPolicy?:14s securityContext?*:15@.SecurityContext stdin?:16b stdinOnce?:17b tty?:18b
core.v1.ContainerExtendedResourceRequest containerName:1s resourceName:2s requestName:3s
core.v1.ContainerImage names:1[]s sizeBytes?:2l
core.v1.ContainerPort name?:1s hostPort?:2i containerPort:3i protocol?:4s hostIP?:5s
core.v1.ContainerResizePolicy resourceName:1s restartPolicy:2s
core.v1.ContainerRestartRule action?:1s exitCodes?*:2@.ContainerRestartRuleOnExitCodes
core.v1.ContainerRestartRuleOnExitCodes operator?:1s values?:2[]i
core.v1.ContainerState waiting?*:1@.ContainerStateWaiting running?*:2@.ContainerStateRunning terminated?*:3@.ContainerStateTerminated
core.v1.ContainerStateRunning startedAt:1t
core.v1.ContainerStateTerminated exitCode:1i signal?:2i reason?:3s message?:4s startedAt:5t finishedAt:6t containerID?:7s
core.v1.ContainerStateWaiting reason?:1s message?:2s
core.v1.ContainerStatus name:1s state:2@.ContainerState lastState:3@.ContainerState ready:4b restartCount:5i image:6s imageID:7s containerID?:8s started?*:9b allocatedResources?:10{}q resources?*:11@.ResourceRequirements volumeMounts?:12[]@.VolumeMountStatus user?*:13@.ContainerUser allocatedResourcesStatus?:14[]@.ResourceStatus stopSignal?*:15s
core.v1.ContainerUser linux?*:1@.LinuxContainerUser
core.v1.DaemonEndpoint Port:1i
core.v1.DownwardAPIProjection items?:1[]@.DownwardAPIVolumeFile
core.v1.DownwardAPIVolumeFile path:1s fieldRef?*:2@.ObjectFieldSelector resourceFieldRef?*:3@.ResourceFieldSelector mode?*:4i user?*:5l
core.v1.DownwardAPIVolumeSource items?:1[]@.DownwardAPIVolumeFile defaultMode?*:2i defaultUser?*:3l
core.v1.EmptyDirVolumeSource medium?:1s sizeLimit?*:2q mode?*:3i
core.v1.EndpointAddress ip:1s hostname?:3s nodeName?*:4s targetRef?*:2@.ObjectReference
core.v1.EndpointPort name?:1s port:2i protocol?:3s appProtocol?*:4s
core.v1.EndpointSubset addresses?:1[]@.EndpointAddress notReadyAddresses?:2[]@.EndpointAddress ports?:3[]@.EndpointPort
core.v1.Endpoints metadata:1@meta.v1.ObjectMeta subsets?:2[]@.EndpointSubset
core.v1.EndpointsList metadata:1@meta.v1.ListMeta items:2[]@.Endpoints
core.v1.EnvFromSource prefix?:1s configMapRef?*:2@.ConfigMapEnvSource secretRef?*:3@.SecretEnvSource
core.v1.EnvVar name:1s value?:2s valueFrom?*:3@.EnvVarSource
core.v1.EnvVarSource fieldRef?*:1@.ObjectFieldSelector resourceFieldRef?*:2@.ResourceFieldSelector configMapKeyRef?*:3@.ConfigMapKeySelector secretKeyRef?*:4@.SecretKeySelector fileKeyRef?*:5@.FileKeySelector
core.v1.EphemeralContainer ^:1@.EphemeralContainerCommon targetContainerName?:2s
core.v1.EphemeralContainerCommon name:1s image?:2s command?:3[]s args?:4[]s workingDir?:5s ports?:6[]@.ContainerPort envFrom?:19[]@.EnvFromSource env?:7[]@.EnvVar resources:8@.ResourceRequirements resizePolicy?:23[]@.ContainerResizePolicy restartPolicy?*:24s restartPolicyRules?:25[]@.ContainerRestartRule volumeMounts?:9[]@.VolumeMount volumeDevices?:21[]@.VolumeDevice livenessProbe?*:10@.Probe readinessProbe?*:11@.Probe startupProbe?*:22@.Probe lifecycle?*:12@.Lifecycle terminationMessagePath?:13s terminationMessagePolicy?:20s imagePullPolicy?:14s securityContext?*:15@.SecurityContext stdin?:16b stdinOnce?:17b tty?:18b
core.v1.EphemeralVolumeSource volumeClaimTemplate?*:1@.PersistentVolumeClaimTemplate
core.v1.Event metadata:1@meta.v1.ObjectMeta involvedObject:2@.ObjectReference reason?:3s message?:4s source:5@.EventSource firstTimestamp:6t lastTimestamp:7t count?:8i type?:9s eventTime:10m series?*:11@.EventSeries action?:12s related?*:13@.ObjectReference reportingComponent:14s reportingInstance:15s
core.v1.EventList metadata:1@meta.v1.ListMeta items:2[]@.Event
core.v1.EventSeries count?:1i lastObservedTime:2m
core.v1.EventSource component?:1s host?:2s
core.v1.EvictionResponder name:1s priority*:2i
core.v1.ExecAction command?:1[]s
core.v1.FCVolumeSource targetWWNs?:1[]s lun?*:2i fsType?:3s readOnly?:4b wwids?:5[]s
core.v1.FileKeySelector volumeName:1s path:2s key:3s optional?*:4b
core.v1.FlexPersistentVolumeSource driver:1s fsType?:2s secretRef?*:3@.SecretReference readOnly?:4b options?:5{}s
core.v1.FlexVolumeSource driver:1s fsType?:2s secretRef?*:3@.LocalObjectReference readOnly?:4b options?:5{}s
core.v1.FlockerVolumeSource datasetName?:1s datasetUUID?:2s
core.v1.GCEPersistentDiskVolumeSource pdName:1s fsType?:2s partition?:3i readOnly?:4b
core.v1.GRPCAction port:1i service*:2s mode?*:3s
core.v1.GitRepoVolumeSource repository:1s revision?:2s directory?:3s
core.v1.GlusterfsPersistentVolumeSource endpoints:1s path:2s readOnly?:3b endpointsNamespace?*:4s
core.v1.GlusterfsVolumeSource endpoints:1s path:2s readOnly?:3b
core.v1.HTTPGetAction path?:1s port:2x host?:3s scheme?:4s httpHeaders?:5[]@.HTTPHeader protocol?*:6s
core.v1.HTTPHeader name:1s value:2s
core.v1.HostAlias ip:1s hostnames?:2[]s
core.v1.HostIP ip:1s
core.v1.HostPathVolumeSource path:1s type?*:2s
core.v1.ISCSIPersistentVolumeSource targetPortal:1s iqn:2s lun:3i iscsiInterface?:4s fsType?:5s readOnly?:6b portals?:7[]s chapAuthDiscovery?:8b chapAuthSession?:11b secretRef?*:10@.SecretReference initiatorName?*:12s
core.v1.ISCSIVolumeSource targetPortal:1s iqn:2s lun:3i iscsiInterface?:4s fsType?:5s readOnly?:6b portals?:7[]s chapAuthDiscovery?:8b chapAuthSession?:11b secretRef?*:10@.LocalObjectReference initiatorName?*:12s
core.v1.ImageVolumeSource reference?:1s pullPolicy?:2s
core.v1.ImageVolumeStatus imageRef?:1s
core.v1.KeyToPath key:1s path:2s mode?*:3i user?*:4l
core.v1.Lifecycle postStart?*:1@.LifecycleHandler preStop?*:2@.LifecycleHandler stopSignal?*:3s
core.v1.LifecycleHandler exec?*:1@.ExecAction httpGet?*:2@.HTTPGetAction tcpSocket?*:3@.TCPSocketAction sleep?*:4@.SleepAction
core.v1.LimitRange metadata:1@meta.v1.ObjectMeta spec:2@.LimitRangeSpec
core.v1.LimitRangeItem type:1s max?:2{}q min?:3{}q default?:4{}q defaultRequest?:5{}q maxLimitRequestRatio?:6{}q
core.v1.LimitRangeList metadata:1@meta.v1.ListMeta items:2[]@.LimitRange
core.v1.LimitRangeSpec limits:1[]@.LimitRangeItem
core.v1.LinuxContainerUser uid:1l gid:2l supplementalGroups?:3[]l
core.v1.List metadata:1@meta.v1.ListMeta items:2[]e
core.v1.LoadBalancerIngress ip?:1s hostname?:2s ipMode?*:3s ports?:4[]@.PortStatus
core.v1.LoadBalancerStatus ingress?:1[]@.LoadBalancerIngress
core.v1.LocalObjectReference name?:1s
core.v1.LocalVolumeSource path:1s fsType?*:2s
core.v1.ModifyVolumeStatus targetVolumeAttributesClassName?:1s status:2s
core.v1.NFSVolumeSource server:1s path:2s readOnly?:3b
core.v1.Namespace metadata:1@meta.v1.ObjectMeta spec:2@.NamespaceSpec status:3@.NamespaceStatus
core.v1.NamespaceCondition type:1s status:2s lastTransitionTime:4t reason?:5s message?:6s
core.v1.NamespaceList metadata:1@meta.v1.ListMeta items:2[]@.Namespace
core.v1.NamespaceSpec finalizers?:1[]s
core.v1.NamespaceStatus phase?:1s conditions?:2[]@.NamespaceCondition
core.v1.Node metadata:1@meta.v1.ObjectMeta spec:2@.NodeSpec status:3@.NodeStatus
core.v1.NodeAddress type:1s address:2s
core.v1.NodeAffinity requiredDuringSchedulingIgnoredDuringExecution?*:1@.NodeSelector preferredDuringSchedulingIgnoredDuringExecution?:2[]@.PreferredSchedulingTerm
core.v1.NodeAllocatableMappedResources name:1s quantity*:2q
core.v1.NodeAllocatableOverheadResources name:1s perPod?*:2q perContainer?*:3q
core.v1.NodeAllocatableResourceClaimStatus resourceClaimName:1s containers?:2[]s mapping?:4[]@.NodeAllocatableMappedResources overhead?:5[]@.NodeAllocatableOverheadResources resources?:3{}q
core.v1.NodeCondition type:1s status:2s lastHeartbeatTime:3t lastTransitionTime:4t reason?:5s message?:6s
core.v1.NodeConfigSource configMap?*:2@.ConfigMapNodeConfigSource
core.v1.NodeConfigStatus assigned?*:1@.NodeConfigSource active?*:2@.NodeConfigSource lastKnownGood?*:3@.NodeConfigSource error?:4s
core.v1.NodeDaemonEndpoints kubeletEndpoint:1@.DaemonEndpoint
core.v1.NodeFeatures supplementalGroupsPolicy?*:1b
core.v1.NodeList metadata:1@meta.v1.ListMeta items:2[]@.Node
core.v1.NodePodPreemptionPolicy disableResizePreemption?:1[]s
core.v1.NodeProxyOptions path?:1s
core.v1.NodeRuntimeHandler name:1s features?*:2@.NodeRuntimeHandlerFeatures
core.v1.NodeRuntimeHandlerFeatures recursiveReadOnlyMounts?*:1b userNamespaces?*:2b
core.v1.NodeSelector nodeSelectorTerms:1[]@.NodeSelectorTerm
core.v1.NodeSelectorRequirement key:1s operator:2s values?:3[]s
core.v1.NodeSelectorTerm matchExpressions?:1[]@.NodeSelectorRequirement matchFields?:2[]@.NodeSelectorRequirement
core.v1.NodeSpec podCIDR?:1s podCIDRs?:7[]s providerID?:3s unschedulable?:4b taints?:5[]@.Taint configSource?*:6@.NodeConfigSource externalID?:2s podPreemptionPolicy?*:8@.NodePodPreemptionPolicy
core.v1.NodeStatus capacity?:1{}q allocatable?:2{}q phase?:3s conditions?:4[]@.NodeCondition addresses?:5[]@.NodeAddress daemonEndpoints:6@.NodeDaemonEndpoints nodeInfo:7@.NodeSystemInfo images?:8[]@.ContainerImage volumesInUse?:9[]s volumesAttached?:10[]@.AttachedVolume config?*:11@.NodeConfigStatus runtimeHandlers?:12[]@.NodeRuntimeHandler features?*:13@.NodeFeatures declaredFeatures?:14[]s
core.v1.NodeSwapStatus capacity?*:1l
core.v1.NodeSystemInfo machineID:1s systemUUID:2s bootID:3s kernelVersion:4s osImage:5s containerRuntimeVersion:6s kubeletVersion:7s kubeProxyVersion:8s operatingSystem:9s architecture:10s swap?*:11@.NodeSwapStatus runningInUserNamespace?*:12b
core.v1.ObjectFieldSelector apiVersion?:1s fieldPath:2s
core.v1.ObjectReference kind?:1s namespace?:2s name?:3s uid?:4s apiVersion?:5s resourceVersion?:6s fieldPath?:7s
core.v1.PersistentVolume metadata:1@meta.v1.ObjectMeta spec:2@.PersistentVolumeSpec status:3@.PersistentVolumeStatus
core.v1.PersistentVolumeClaim metadata:1@meta.v1.ObjectMeta spec:2@.PersistentVolumeClaimSpec status:3@.PersistentVolumeClaimStatus
core.v1.PersistentVolumeClaimCondition type:1s status:2s lastProbeTime:3t lastTransitionTime:4t reason?:5s message?:6s
core.v1.PersistentVolumeClaimList metadata:1@meta.v1.ListMeta items:2[]@.PersistentVolumeClaim
core.v1.PersistentVolumeClaimSpec accessModes?:1[]s selector?*:4@meta.v1.LabelSelector resources:2@.VolumeResourceRequirements volumeName?:3s storageClassName?*:5s volumeMode?*:6s dataSource?*:7@.TypedLocalObjectReference dataSourceRef?*:8@.TypedObjectReference volumeAttributesClassName?*:9s
core.v1.PersistentVolumeClaimStatus phase?:1s accessModes?:2[]s capacity?:3{}q conditions?:4[]@.PersistentVolumeClaimCondition allocatedResources?:5{}q allocatedResourceStatuses?:7{}s currentVolumeAttributesClassName?*:8s modifyVolumeStatus?*:9@.ModifyVolumeStatus healthStatus?*:10@.VolumeHealthStatus
core.v1.PersistentVolumeClaimTemplate metadata:1@meta.v1.ObjectMeta spec:2@.PersistentVolumeClaimSpec
core.v1.PersistentVolumeClaimVolumeSource claimName:1s readOnly?:2b
core.v1.PersistentVolumeList metadata:1@meta.v1.ListMeta items:2[]@.PersistentVolume
core.v1.PersistentVolumeSource gcePersistentDisk?*:1@.GCEPersistentDiskVolumeSource awsElasticBlockStore?*:2@.AWSElasticBlockStoreVolumeSource hostPath?*:3@.HostPathVolumeSource glusterfs?*:4@.GlusterfsPersistentVolumeSource nfs?*:5@.NFSVolumeSource rbd?*:6@.RBDPersistentVolumeSource iscsi?*:7@.ISCSIPersistentVolumeSource cinder?*:8@.CinderPersistentVolumeSource cephfs?*:9@.CephFSPersistentVolumeSource fc?*:10@.FCVolumeSource flocker?*:11@.FlockerVolumeSource flexVolume?*:12@.FlexPersistentVolumeSource azureFile?*:13@.AzureFilePersistentVolumeSource vsphereVolume?*:14@.VsphereVirtualDiskVolumeSource quobyte?*:15@.QuobyteVolumeSource azureDisk?*:16@.AzureDiskVolumeSource photonPersistentDisk?*:17@.PhotonPersistentDiskVolumeSource portworxVolume?*:18@.PortworxVolumeSource scaleIO?*:19@.ScaleIOPersistentVolumeSource local?*:20@.LocalVolumeSource storageos?*:21@.StorageOSPersistentVolumeSource csi?*:22@.CSIPersistentVolumeSource
core.v1.PersistentVolumeSpec capacity?:1{}q ^:2@.PersistentVolumeSource accessModes?:3[]s claimRef?*:4@.ObjectReference persistentVolumeReclaimPolicy?:5s storageClassName?:6s mountOptions?:7[]s volumeMode?*:8s nodeAffinity?*:9@.VolumeNodeAffinity volumeAttributesClassName?*:10s
core.v1.PersistentVolumeStatus phase?:1s message?:2s reason?:3s lastPhaseTransitionTime?*:4t
core.v1.PhotonPersistentDiskVolumeSource pdID:1s fsType?:2s
core.v1.Pod metadata:1@meta.v1.ObjectMeta spec:2@.PodSpec status:3@.PodStatus
core.v1.PodAffinity requiredDuringSchedulingIgnoredDuringExecution?:1[]@.PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution?:2[]@.WeightedPodAffinityTerm
core.v1.PodAffinityTerm labelSelector?*:1@meta.v1.LabelSelector namespaces?:2[]s topologyKey:3s namespaceSelector?*:4@meta.v1.LabelSelector matchLabelKeys?:5[]s mismatchLabelKeys?:6[]s
core.v1.PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution?:1[]@.PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution?:2[]@.WeightedPodAffinityTerm
core.v1.PodAttachOptions stdin?:1b stdout?:2b stderr?:3b tty?:4b container?:5s
core.v1.PodCertificateProjection signerName?:1s keyType?:2s maxExpirationSeconds?*:3i credentialBundlePath?:4s keyPath?:5s certificateChainPath?:6s userAnnotations?:7{}s user?*:8l
core.v1.PodCondition type:1s observedGeneration?:7l status:2s lastProbeTime:3t lastTransitionTime:4t reason?:5s message?:6s
core.v1.PodDNSConfig nameservers?:1[]s searches?:2[]s options?:3[]@.PodDNSConfigOption
core.v1.PodDNSConfigOption name?:1s value?*:2s
core.v1.PodExecOptions stdin?:1b stdout?:2b stderr?:3b tty?:4b container?:5s command:6[]s
core.v1.PodExtendedResourceClaimStatus requestMappings:1[]@.ContainerExtendedResourceRequest resourceClaimName:2s
core.v1.PodIP ip:1s
core.v1.PodList metadata:1@meta.v1.ListMeta items:2[]@.Pod
core.v1.PodLogOptions container?:1s follow?:2b previous?:3b sinceSeconds?*:4l sinceTime?*:5t timestamps?:6b tailLines?*:7l limitBytes?*:8l insecureSkipTLSVerifyBackend?:9b stream?*:10s
core.v1.PodOS name:1s
core.v1.PodPortForwardOptions ports?:1[]i
core.v1.PodProxyOptions path?:1s
core.v1.PodReadinessGate conditionType:1s
core.v1.PodResourceClaim name:1s resourceClaimName?*:3s resourceClaimTemplateName?*:4s
core.v1.PodResourceClaimStatus name:1s resourceClaimName?*:2s
core.v1.PodSchedulingGate name:1s
core.v1.PodSchedulingGroup podGroupName?*:1s
core.v1.PodSecurityContext seLinuxOptions?*:1@.SELinuxOptions windowsOptions?*:8@.WindowsSecurityContextOptions runAsUser?*:2l runAsGroup?*:6l runAsNonRoot?*:3b supplementalGroups?:4[]l supplementalGroupsPolicy?*:12s fsGroup?*:5l sysctls?:7[]@.Sysctl fsGroupChangePolicy?*:9s seccompProfile?*:10@.SeccompProfile appArmorProfile?*:11@.AppArmorProfile seLinuxChangePolicy?*:13s
core.v1.PodSpec volumes?:1[]@.Volume initContainers?:20[]@.Container containers:2[]@.Container ephemeralContainers?:34[]@.EphemeralContainer restartPolicy?:3s terminationGracePeriodSeconds?*:4l activeDeadlineSeconds?*:5l dnsPolicy?:6s nodeSelector?:7{}s serviceAccountName?:8s serviceAccount?:9s automountServiceAccountToken?*:21b nodeName?:10s hostNetwork?:11b hostPID?:12b hostIPC?:13b shareProcessNamespace?*:27b securityContext?*:14@.PodSecurityContext imagePullSecrets?:15[]@.LocalObjectReference hostname?:16s subdomain?:17s affinity?*:18@.Affinity schedulerName?:19s tolerations?:22[]@.Toleration hostAliases?:23[]@.HostAlias priorityClassName?:24s priority?*:25i dnsConfig?*:26@.PodDNSConfig readinessGates?:28[]@.PodReadinessGate runtimeClassName?*:29s enableServiceLinks?*:30b preemptionPolicy?*:31s overhead?:32{}q topologySpreadConstraints?:33[]@.TopologySpreadConstraint setHostnameAsFQDN?*:35b os?*:36@.PodOS hostUsers?*:37b schedulingGates?:38[]@.PodSchedulingGate resourceClaims?:39[]@.PodResourceClaim resources?*:40@.ResourceRequirements hostnameOverride?*:41s schedulingGroup?*:43@.PodSchedulingGroup evictionResponders?:44[]@.EvictionResponder workloadRef?*:42@.WorkloadReference
core.v1.PodStatus observedGeneration?:17l phase?:1s conditions?:2[]@.PodCondition message?:3s reason?:4s nominatedNodeName?:11s hostIP?:5s hostIPs?:16[]@.HostIP podIP?:6s podIPs?:12[]@.PodIP startTime?*:7t initContainerStatuses?:10[]@.ContainerStatus containerStatuses?:8[]@.ContainerStatus qosClass?:9s ephemeralContainerStatuses?:13[]@.ContainerStatus resize?:14s resourceClaimStatuses?:15[]@.PodResourceClaimStatus extendedResourceClaimStatus?*:18@.PodExtendedResourceClaimStatus allocatedResources?:19{}q resources?*:20@.ResourceRequirements nodeAllocatableResourceClaimStatuses?:21[]@.NodeAllocatableResourceClaimStatus volumeHealth?:22[]@.PodVolumeHealth
core.v1.PodStatusResult metadata:1@meta.v1.ObjectMeta status:2@.PodStatus
core.v1.PodTemplate metadata:1@meta.v1.ObjectMeta template:2@.PodTemplateSpec
core.v1.PodTemplateList metadata:1@meta.v1.ListMeta items:2[]@.PodTemplate
core.v1.PodTemplateSpec metadata:1@meta.v1.ObjectMeta spec:2@.PodSpec
core.v1.PodVolumeHealth name:1s healthConditions?:2[]@.VolumeHealthCondition lastTransitionTime:3t
core.v1.PortStatus port:1i protocol:2s error?*:3s
core.v1.PortworxVolumeSource volumeID:1s fsType?:2s readOnly?:3b
core.v1.PreferredSchedulingTerm weight:1i preference:2@.NodeSelectorTerm
core.v1.Probe ^:1@.ProbeHandler initialDelaySeconds?:2i timeoutSeconds?:3i periodSeconds?:4i successThreshold?:5i failureThreshold?:6i terminationGracePeriodSeconds?*:7l
core.v1.ProbeHandler exec?*:1@.ExecAction httpGet?*:2@.HTTPGetAction tcpSocket?*:3@.TCPSocketAction grpc?*:4@.GRPCAction
core.v1.ProjectedVolumeSource sources:1[]@.VolumeProjection defaultMode?*:2i defaultUser?*:3l
core.v1.QuobyteVolumeSource registry:1s volume:2s readOnly?:3b user?:4s group?:5s tenant?:6s
core.v1.RBDPersistentVolumeSource monitors:1[]s image:2s fsType?:3s pool?:4s user?:5s keyring?:6s secretRef?*:7@.SecretReference readOnly?:8b
core.v1.RBDVolumeSource monitors:1[]s image:2s fsType?:3s pool?:4s user?:5s keyring?:6s secretRef?*:7@.LocalObjectReference readOnly?:8b
core.v1.RangeAllocation metadata:1@meta.v1.ObjectMeta range:2s data:3y
core.v1.ReplicationController metadata:1@meta.v1.ObjectMeta spec:2@.ReplicationControllerSpec status:3@.ReplicationControllerStatus
core.v1.ReplicationControllerCondition type:1s status:2s lastTransitionTime:3t reason?:4s message?:5s
core.v1.ReplicationControllerList metadata:1@meta.v1.ListMeta items:2[]@.ReplicationController
core.v1.ReplicationControllerSpec replicas?*:1i minReadySeconds?:4i selector?:2{}s template?*:3@.PodTemplateSpec
core.v1.ReplicationControllerStatus replicas:1i fullyLabeledReplicas?:2i readyReplicas?:4i availableReplicas?:5i observedGeneration?:3l conditions?:6[]@.ReplicationControllerCondition
core.v1.ResourceClaim name:1s request?:2s
core.v1.ResourceFieldSelector containerName?:1s resource:2s divisor:3q
core.v1.ResourceHealth resourceID:1s health?:2s message?*:6s
core.v1.ResourceQuota metadata:1@meta.v1.ObjectMeta spec:2@.ResourceQuotaSpec status:3@.ResourceQuotaStatus
core.v1.ResourceQuotaList metadata:1@meta.v1.ListMeta items:2[]@.ResourceQuota
core.v1.ResourceQuotaSpec hard?:1{}q scopes?:2[]s scopeSelector?*:3@.ScopeSelector
core.v1.ResourceQuotaStatus hard?:1{}q used?:2{}q
core.v1.ResourceRequirements limits?:1{}q requests?:2{}q claims?:3[]@.ResourceClaim
core.v1.ResourceStatus name:1s resources?:2[]@.ResourceHealth
core.v1.SELinuxOptions user?:1s role?:2s type?:3s level?:4s
core.v1.ScaleIOPersistentVolumeSource gateway:1s system:2s secretRef*:3@.SecretReference sslEnabled?:4b protectionDomain?:5s storagePool?:6s storageMode?:7s volumeName?:8s fsType?:9s readOnly?:10b
core.v1.ScaleIOVolumeSource gateway:1s system:2s secretRef*:3@.LocalObjectReference sslEnabled?:4b protectionDomain?:5s storagePool?:6s storageMode?:7s volumeName?:8s fsType?:9s readOnly?:10b
core.v1.ScopeSelector matchExpressions?:1[]@.ScopedResourceSelectorRequirement
core.v1.ScopedResourceSelectorRequirement scopeName:1s operator:2s values?:3[]s
core.v1.SeccompProfile type:1s localhostProfile?*:2s
core.v1.Secret metadata:1@meta.v1.ObjectMeta immutable?*:5b data?:2{}y stringData?:4{}s type?:3s
core.v1.SecretEnvSource ^:1@.LocalObjectReference optional?*:2b
core.v1.SecretKeySelector ^:1@.LocalObjectReference key:2s optional?*:3b
core.v1.SecretList metadata:1@meta.v1.ListMeta items:2[]@.Secret
core.v1.SecretProjection ^:1@.LocalObjectReference items?:2[]@.KeyToPath optional?*:4b
core.v1.SecretReference name?:1s namespace?:2s
core.v1.SecretVolumeSource secretName?:1s items?:2[]@.KeyToPath defaultMode?*:3i optional?*:4b defaultUser?*:5l
core.v1.SecurityContext capabilities?*:1@.Capabilities privileged?*:2b seLinuxOptions?*:3@.SELinuxOptions windowsOptions?*:10@.WindowsSecurityContextOptions runAsUser?*:4l runAsGroup?*:8l runAsNonRoot?*:5b readOnlyRootFilesystem?*:6b allowPrivilegeEscalation?*:7b procMount?*:9s seccompProfile?*:11@.SeccompProfile appArmorProfile?*:12@.AppArmorProfile
core.v1.SerializedReference reference:1@.ObjectReference
core.v1.Service metadata:1@meta.v1.ObjectMeta spec:2@.ServiceSpec status:3@.ServiceStatus
core.v1.ServiceAccount metadata:1@meta.v1.ObjectMeta secrets?:2[]@.ObjectReference imagePullSecrets?:3[]@.LocalObjectReference automountServiceAccountToken?*:4b
core.v1.ServiceAccountList metadata:1@meta.v1.ListMeta items:2[]@.ServiceAccount
core.v1.ServiceAccountTokenProjection audience?:1s expirationSeconds?*:2l path:3s user?*:4l
core.v1.ServiceList metadata:1@meta.v1.ListMeta items:2[]@.Service
core.v1.ServicePort name?:1s protocol?:2s appProtocol?*:6s port:3i targetPort:4x nodePort?:5i
core.v1.ServiceProxyOptions path?:1s
core.v1.ServiceSpec ports?:1[]@.ServicePort selector?:2{}s clusterIP?:3s clusterIPs?:18[]s type?:4s externalIPs?:5[]s sessionAffinity?:7s loadBalancerIP?:8s loadBalancerSourceRanges?:9[]s externalName?:10s externalTrafficPolicy?:11s healthCheckNodePort?:12i publishNotReadyAddresses?:13b sessionAffinityConfig?*:14@.SessionAffinityConfig ipFamilies?:19[]s ipFamilyPolicy?*:17s allocateLoadBalancerNodePorts?*:20b loadBalancerClass?*:21s internalTrafficPolicy?*:22s trafficDistribution?*:23s
core.v1.ServiceStatus loadBalancer:1@.LoadBalancerStatus conditions?:2[]@meta.v1.Condition
core.v1.SessionAffinityConfig clientIP?*:1@.ClientIPConfig
core.v1.SleepAction seconds:1l
core.v1.StorageOSPersistentVolumeSource volumeName?:1s volumeNamespace?:2s fsType?:3s readOnly?:4b secretRef?*:5@.ObjectReference
core.v1.StorageOSVolumeSource volumeName?:1s volumeNamespace?:2s fsType?:3s readOnly?:4b secretRef?*:5@.LocalObjectReference
core.v1.Sysctl name:1s value:2s
core.v1.TCPSocketAction port:1x host?:2s
core.v1.Taint key:1s value?:2s effect:3s timeAdded?*:4t
core.v1.Toleration key?:1s operator?:2s value?:3s effect?:4s tolerationSeconds?*:5l
core.v1.TopologySelectorLabelRequirement key:1s values:2[]s
core.v1.TopologySelectorTerm matchLabelExpressions?:1[]@.TopologySelectorLabelRequirement
core.v1.TopologySpreadConstraint maxSkew:1i topologyKey:2s whenUnsatisfiable:3s labelSelector?*:4@meta.v1.LabelSelector minDomains?*:5i nodeAffinityPolicy?*:6s nodeTaintsPolicy?*:7s matchLabelKeys?:8[]s
core.v1.TypedLocalObjectReference apiGroup*:1s kind:2s name:3s
core.v1.TypedObjectReference apiGroup*:1s kind:2s name:3s namespace?*:4s
core.v1.Volume name:1s ^:2@.VolumeSource
core.v1.VolumeDevice name:1s devicePath:2s
core.v1.VolumeHealthCondition status:1s reason:2s message?:3s
core.v1.VolumeHealthStatus healthConditions?:1[]@.VolumeHealthCondition lastTransitionTime:2t
core.v1.VolumeMount name:1s readOnly?:2b recursiveReadOnly?*:7s mountPath:3s subPath?:4s mountPropagation?*:5s subPathExpr?:6s bindMountOptions?:8[]s
core.v1.VolumeMountStatus name:1s mountPath:2s readOnly?:3b recursiveReadOnly?*:4s volumeStatus?*:5@.VolumeStatus
core.v1.VolumeNodeAffinity required?*:1@.NodeSelector
core.v1.VolumeProjection secret?*:1@.SecretProjection downwardAPI?*:2@.DownwardAPIProjection configMap?*:3@.ConfigMapProjection serviceAccountToken?*:4@.ServiceAccountTokenProjection clusterTrustBundle?*:5@.ClusterTrustBundleProjection podCertificate?*:6@.PodCertificateProjection
core.v1.VolumeResourceRequirements limits?:1{}q requests?:2{}q
core.v1.VolumeSource hostPath?*:1@.HostPathVolumeSource emptyDir?*:2@.EmptyDirVolumeSource gcePersistentDisk?*:3@.GCEPersistentDiskVolumeSource awsElasticBlockStore?*:4@.AWSElasticBlockStoreVolumeSource gitRepo?*:5@.GitRepoVolumeSource secret?*:6@.SecretVolumeSource nfs?*:7@.NFSVolumeSource iscsi?*:8@.ISCSIVolumeSource glusterfs?*:9@.GlusterfsVolumeSource persistentVolumeClaim?*:10@.PersistentVolumeClaimVolumeSource rbd?*:11@.RBDVolumeSource flexVolume?*:12@.FlexVolumeSource cinder?*:13@.CinderVolumeSource cephfs?*:14@.CephFSVolumeSource flocker?*:15@.FlockerVolumeSource downwardAPI?*:16@.DownwardAPIVolumeSource fc?*:17@.FCVolumeSource azureFile?*:18@.AzureFileVolumeSource configMap?*:19@.ConfigMapVolumeSource vsphereVolume?*:20@.VsphereVirtualDiskVolumeSource quobyte?*:21@.QuobyteVolumeSource azureDisk?*:22@.AzureDiskVolumeSource photonPersistentDisk?*:23@.PhotonPersistentDiskVolumeSource projected?*:26@.ProjectedVolumeSource portworxVolume?*:24@.PortworxVolumeSource scaleIO?*:25@.ScaleIOVolumeSource storageos?*:27@.StorageOSVolumeSource csi?*:28@.CSIVolumeSource ephemeral?*:29@.EphemeralVolumeSource image?*:30@.ImageVolumeSource
core.v1.VolumeStatus image?*:1@.ImageVolumeStatus
core.v1.VsphereVirtualDiskVolumeSource volumePath:1s fsType?:2s storagePolicyName?:3s storagePolicyID?:4s
core.v1.WeightedPodAffinityTerm weight:1i podAffinityTerm:2@.PodAffinityTerm
core.v1.WindowsSecurityContextOptions gmsaCredentialSpecName?*:1s gmsaCredentialSpec?*:2s runAsUserName?*:3s hostProcess?*:4b
core.v1.WorkloadReference name:1s podGroup:2s podGroupReplicaKey?:3s
discovery.v1.Endpoint addresses:1[]s conditions:2@.EndpointConditions hostname?*:3s targetRef?*:4@core.v1.ObjectReference deprecatedTopology?:5{}s nodeName?*:6s zone?*:7s hints?*:8@.EndpointHints
discovery.v1.EndpointConditions ready?*:1b serving?*:2b terminating?*:3b
discovery.v1.EndpointHints forZones?:1[]@.ForZone forNodes?:2[]@.ForNode
discovery.v1.EndpointPort name?*:1s protocol?*:2s port?*:3i appProtocol?*:4s
discovery.v1.EndpointSlice metadata:1@meta.v1.ObjectMeta addressType:4s endpoints:2[]@.Endpoint ports:3[]@.EndpointPort
discovery.v1.EndpointSliceList metadata:1@meta.v1.ListMeta items:2[]@.EndpointSlice
discovery.v1.ForNode name:1s
discovery.v1.ForZone name:1s
discovery.v1beta1.Endpoint addresses:1[]s conditions:2@.EndpointConditions hostname?*:3s targetRef?*:4@core.v1.ObjectReference topology?:5{}s nodeName?*:6s hints?*:7@.EndpointHints
discovery.v1beta1.EndpointConditions ready?*:1b serving?*:2b terminating?*:3b
discovery.v1beta1.EndpointHints forZones?:1[]@.ForZone forNodes?:2[]@.ForNode
discovery.v1beta1.EndpointPort name?*:1s protocol?*:2s port?*:3i appProtocol?*:4s
discovery.v1beta1.EndpointSlice metadata:1@meta.v1.ObjectMeta addressType:4s endpoints:2[]@.Endpoint ports:3[]@.EndpointPort
discovery.v1beta1.EndpointSliceList metadata:1@meta.v1.ListMeta items:2[]@.EndpointSlice
discovery.v1beta1.ForNode name:1s
discovery.v1beta1.ForZone name:1s
events.v1.Event metadata:1@meta.v1.ObjectMeta eventTime:2m series?*:3@.EventSeries reportingController?:4s reportingInstance?:5s action?:6s reason?:7s regarding:8@core.v1.ObjectReference related?*:9@core.v1.ObjectReference note?:10s type?:11s deprecatedSource:12@core.v1.EventSource deprecatedFirstTimestamp:13t deprecatedLastTimestamp:14t deprecatedCount?:15i
events.v1.EventList metadata:1@meta.v1.ListMeta items:2[]@.Event
events.v1.EventSeries count:1i lastObservedTime:2m
events.v1beta1.Event metadata:1@meta.v1.ObjectMeta eventTime:2m series?*:3@.EventSeries reportingController?:4s reportingInstance?:5s action?:6s reason?:7s regarding:8@core.v1.ObjectReference related?*:9@core.v1.ObjectReference note?:10s type?:11s deprecatedSource:12@core.v1.EventSource deprecatedFirstTimestamp:13t deprecatedLastTimestamp:14t deprecatedCount?:15i
events.v1beta1.EventList metadata:1@meta.v1.ListMeta items:2[]@.Event
events.v1beta1.EventSeries count:1i lastObservedTime:2m
extensions.v1beta1.DaemonSet metadata:1@meta.v1.ObjectMeta spec:2@.DaemonSetSpec status:3@.DaemonSetStatus
extensions.v1beta1.DaemonSetCondition type:1s status:2s lastTransitionTime:3t reason?:4s message?:5s
extensions.v1beta1.DaemonSetList metadata:1@meta.v1.ListMeta items:2[]@.DaemonSet
extensions.v1beta1.DaemonSetSpec selector?*:1@meta.v1.LabelSelector template:2@core.v1.PodTemplateSpec updateStrategy:3@.DaemonSetUpdateStrategy minReadySeconds?:4i templateGeneration?:5l revisionHistoryLimit?*:6i
extensions.v1beta1.DaemonSetStatus currentNumberScheduled:1i numberMisscheduled:2i desiredNumberScheduled:3i numberReady:4i observedGeneration?:5l updatedNumberScheduled?:6i numberAvailable?:7i numberUnavailable?:8i collisionCount?*:9i conditions?:10[]@.DaemonSetCondition
extensions.v1beta1.DaemonSetUpdateStrategy type?:1s rollingUpdate?*:2@.RollingUpdateDaemonSet
extensions.v1beta1.Deployment metadata:1@meta.v1.ObjectMeta spec:2@.DeploymentSpec status:3@.DeploymentStatus
extensions.v1beta1.DeploymentCondition type:1s status:2s lastUpdateTime:6t lastTransitionTime:7t reason?:4s message?:5s
extensions.v1beta1.DeploymentList metadata:1@meta.v1.ListMeta items:2[]@.Deployment
extensions.v1beta1.DeploymentRollback name:1s updatedAnnotations?:2{}s rollbackTo:3@.RollbackConfig
extensions.v1beta1.DeploymentSpec replicas?*:1i selector?*:2@meta.v1.LabelSelector template:3@core.v1.PodTemplateSpec strategy:4@.DeploymentStrategy minReadySeconds?:5i revisionHistoryLimit?*:6i paused?:7b rollbackTo?*:8@.RollbackConfig progressDeadlineSeconds?*:9i
extensions.v1beta1.DeploymentStatus observedGeneration?:1l replicas?:2i updatedReplicas?:3i readyReplicas?:7i availableReplicas?:4i unavailableReplicas?:5i terminatingReplicas?*:9i conditions?:6[]@.DeploymentCondition collisionCount?*:8i
extensions.v1beta1.DeploymentStrategy type?:1s rollingUpdate?*:2@.RollingUpdateDeployment
extensions.v1beta1.HTTPIngressPath path?:1s pathType?*:3s backend:2@.IngressBackend
extensions.v1beta1.HTTPIngressRuleValue paths:1[]@.HTTPIngressPath
extensions.v1beta1.IPBlock cidr:1s except?:2[]s
extensions.v1beta1.Ingress metadata:1@meta.v1.ObjectMeta spec:2@.IngressSpec status:3@.IngressStatus
extensions.v1beta1.IngressBackend serviceName?:1s servicePort:2x resource?*:3@core.v1.TypedLocalObjectReference
extensions.v1beta1.IngressList metadata:1@meta.v1.ListMeta items:2[]@.Ingress
extensions.v1beta1.IngressLoadBalancerIngress ip?:1s hostname?:2s ports?:4[]@.IngressPortStatus
extensions.v1beta1.IngressLoadBalancerStatus ingress?:1[]@.IngressLoadBalancerIngress
extensions.v1beta1.IngressPortStatus port:1i protocol:2s error?*:3s
extensions.v1beta1.IngressRule host?:1s ^:2@.IngressRuleValue
extensions.v1beta1.IngressRuleValue http?*:1@.HTTPIngressRuleValue
extensions.v1beta1.IngressSpec ingressClassName?*:4s backend?*:1@.IngressBackend tls?:2[]@.IngressTLS rules?:3[]@.IngressRule
extensions.v1beta1.IngressStatus loadBalancer:1@.IngressLoadBalancerStatus
extensions.v1beta1.IngressTLS hosts?:1[]s secretName?:2s
extensions.v1beta1.NetworkPolicy metadata:1@meta.v1.ObjectMeta spec:2@.NetworkPolicySpec
extensions.v1beta1.NetworkPolicyEgressRule ports?:1[]@.NetworkPolicyPort to?:2[]@.NetworkPolicyPeer
extensions.v1beta1.NetworkPolicyIngressRule ports?:1[]@.NetworkPolicyPort from?:2[]@.NetworkPolicyPeer
extensions.v1beta1.NetworkPolicyList metadata:1@meta.v1.ListMeta items:2[]@.NetworkPolicy
extensions.v1beta1.NetworkPolicyPeer podSelector?*:1@meta.v1.LabelSelector namespaceSelector?*:2@meta.v1.LabelSelector ipBlock?*:3@.IPBlock
extensions.v1beta1.NetworkPolicyPort protocol?*:1s port?*:2x endPort?*:3i
extensions.v1beta1.NetworkPolicySpec podSelector:1@meta.v1.LabelSelector ingress?:2[]@.NetworkPolicyIngressRule egress?:3[]@.NetworkPolicyEgressRule policyTypes?:4[]s
extensions.v1beta1.ReplicaSet metadata:1@meta.v1.ObjectMeta spec:2@.ReplicaSetSpec status:3@.ReplicaSetStatus
extensions.v1beta1.ReplicaSetCondition type:1s status:2s lastTransitionTime:3t reason?:4s message?:5s
extensions.v1beta1.ReplicaSetList metadata:1@meta.v1.ListMeta items:2[]@.ReplicaSet
extensions.v1beta1.ReplicaSetSpec replicas?*:1i minReadySeconds?:4i selector?*:2@meta.v1.LabelSelector template:3@core.v1.PodTemplateSpec
extensions.v1beta1.ReplicaSetStatus replicas:1i fullyLabeledReplicas?:2i readyReplicas?:4i availableReplicas?:5i terminatingReplicas?*:7i observedGeneration?:3l conditions?:6[]@.ReplicaSetCondition
extensions.v1beta1.RollbackConfig revision?:1l
extensions.v1beta1.RollingUpdateDaemonSet maxUnavailable?*:1x maxSurge?*:2x
extensions.v1beta1.RollingUpdateDeployment maxUnavailable?*:1x maxSurge?*:2x
extensions.v1beta1.Scale metadata:1@meta.v1.ObjectMeta spec:2@.ScaleSpec status:3@.ScaleStatus
extensions.v1beta1.ScaleSpec replicas?:1i
extensions.v1beta1.ScaleStatus replicas:1i selector?:2{}s targetSelector?:3s
flowcontrol.v1.ExemptPriorityLevelConfiguration nominalConcurrencyShares?*:1i lendablePercent?*:2i
flowcontrol.v1.FlowDistinguisherMethod type:1s
flowcontrol.v1.FlowSchema metadata:1@meta.v1.ObjectMeta spec:2@.FlowSchemaSpec status:3@.FlowSchemaStatus
flowcontrol.v1.FlowSchemaCondition type?:1s status?:2s lastTransitionTime:3t reason?:4s message?:5s
flowcontrol.v1.FlowSchemaList metadata:1@meta.v1.ListMeta items:2[]@.FlowSchema
flowcontrol.v1.FlowSchemaSpec priorityLevelConfiguration:1@.PriorityLevelConfigurationReference matchingPrecedence:2i distinguisherMethod?*:3@.FlowDistinguisherMethod rules?:4[]@.PolicyRulesWithSubjects
flowcontrol.v1.FlowSchemaStatus conditions?:1[]@.FlowSchemaCondition
flowcontrol.v1.GroupSubject name:1s
flowcontrol.v1.LimitResponse type:1s queuing?*:2@.QueuingConfiguration
flowcontrol.v1.LimitedPriorityLevelConfiguration nominalConcurrencyShares*:1i limitResponse:2@.LimitResponse lendablePercent?*:3i borrowingLimitPercent?*:4i
flowcontrol.v1.NonResourcePolicyRule verbs:1[]s nonResourceURLs:6[]s
flowcontrol.v1.PolicyRulesWithSubjects subjects:1[]@.Subject resourceRules?:2[]@.ResourcePolicyRule nonResourceRules?:3[]@.NonResourcePolicyRule
flowcontrol.v1.PriorityLevelConfiguration metadata:1@meta.v1.ObjectMeta spec:2@.PriorityLevelConfigurationSpec status:3@.PriorityLevelConfigurationStatus
flowcontrol.v1.PriorityLevelConfigurationCondition type?:1s status?:2s lastTransitionTime:3t reason?:4s message?:5s
flowcontrol.v1.PriorityLevelConfigurationList metadata:1@meta.v1.ListMeta items:2[]@.PriorityLevelConfiguration
flowcontrol.v1.PriorityLevelConfigurationReference name:1s
flowcontrol.v1.PriorityLevelConfigurationSpec type:1s limited?*:2@.LimitedPriorityLevelConfiguration exempt?*:3@.ExemptPriorityLevelConfiguration
flowcontrol.v1.PriorityLevelConfigurationStatus conditions?:1[]@.PriorityLevelConfigurationCondition
flowcontrol.v1.QueuingConfiguration queues:1i handSize:2i queueLengthLimit:3i
flowcontrol.v1.ResourcePolicyRule verbs:1[]s apiGroups:2[]s resources:3[]s clusterScope?:4b namespaces:5[]s
flowcontrol.v1.ServiceAccountSubject namespace:1s name:2s
flowcontrol.v1.Subject kind:1s user?*:2@.UserSubject group?*:3@.GroupSubject serviceAccount?*:4@.ServiceAccountSubject
flowcontrol.v1.UserSubject name:1s
flowcontrol.v1beta1.ExemptPriorityLevelConfiguration nominalConcurrencyShares?*:1i lendablePercent?*:2i
flowcontrol.v1beta1.FlowDistinguisherMethod type:1s
flowcontrol.v1beta1.FlowSchema metadata:1@meta.v1.ObjectMeta spec:2@.FlowSchemaSpec status:3@.FlowSchemaStatus
flowcontrol.v1beta1.FlowSchemaCondition type?:1s status?:2s lastTransitionTime:3t reason?:4s message?:5s
flowcontrol.v1beta1.FlowSchemaList metadata:1@meta.v1.ListMeta items:2[]@.FlowSchema
flowcontrol.v1beta1.FlowSchemaSpec priorityLevelConfiguration:1@.PriorityLevelConfigurationReference matchingPrecedence:2i distinguisherMethod?*:3@.FlowDistinguisherMethod rules?:4[]@.PolicyRulesWithSubjects
flowcontrol.v1beta1.FlowSchemaStatus conditions?:1[]@.FlowSchemaCondition
flowcontrol.v1beta1.GroupSubject name:1s
flowcontrol.v1beta1.LimitResponse type:1s queuing?*:2@.QueuingConfiguration
flowcontrol.v1beta1.LimitedPriorityLevelConfiguration assuredConcurrencyShares:1i limitResponse:2@.LimitResponse lendablePercent?*:3i borrowingLimitPercent?*:4i
flowcontrol.v1beta1.NonResourcePolicyRule verbs:1[]s nonResourceURLs:6[]s
flowcontrol.v1beta1.PolicyRulesWithSubjects subjects:1[]@.Subject resourceRules?:2[]@.ResourcePolicyRule nonResourceRules?:3[]@.NonResourcePolicyRule
flowcontrol.v1beta1.PriorityLevelConfiguration metadata:1@meta.v1.ObjectMeta spec:2@.PriorityLevelConfigurationSpec status:3@.PriorityLevelConfigurationStatus
flowcontrol.v1beta1.PriorityLevelConfigurationCondition type?:1s status?:2s lastTransitionTime:3t reason?:4s message?:5s
flowcontrol.v1beta1.PriorityLevelConfigurationList metadata:1@meta.v1.ListMeta items:2[]@.PriorityLevelConfiguration
flowcontrol.v1beta1.PriorityLevelConfigurationReference name:1s
flowcontrol.v1beta1.PriorityLevelConfigurationSpec type:1s limited?*:2@.LimitedPriorityLevelConfiguration exempt?*:3@.ExemptPriorityLevelConfiguration
flowcontrol.v1beta1.PriorityLevelConfigurationStatus conditions?:1[]@.PriorityLevelConfigurationCondition
flowcontrol.v1beta1.QueuingConfiguration queues:1i handSize:2i queueLengthLimit:3i
flowcontrol.v1beta1.ResourcePolicyRule verbs:1[]s apiGroups:2[]s resources:3[]s clusterScope?:4b namespaces:5[]s
flowcontrol.v1beta1.ServiceAccountSubject namespace:1s name:2s
flowcontrol.v1beta1.Subject kind:1s user?*:2@.UserSubject group?*:3@.GroupSubject serviceAccount?*:4@.ServiceAccountSubject
flowcontrol.v1beta1.UserSubject name:1s
flowcontrol.v1beta2.ExemptPriorityLevelConfiguration nominalConcurrencyShares?*:1i lendablePercent?*:2i
flowcontrol.v1beta2.FlowDistinguisherMethod type:1s
flowcontrol.v1beta2.FlowSchema metadata:1@meta.v1.ObjectMeta spec:2@.FlowSchemaSpec status:3@.FlowSchemaStatus
flowcontrol.v1beta2.FlowSchemaCondition type?:1s status?:2s lastTransitionTime:3t reason?:4s message?:5s
flowcontrol.v1beta2.FlowSchemaList metadata:1@meta.v1.ListMeta items:2[]@.FlowSchema
flowcontrol.v1beta2.FlowSchemaSpec priorityLevelConfiguration:1@.PriorityLevelConfigurationReference matchingPrecedence:2i distinguisherMethod?*:3@.FlowDistinguisherMethod rules?:4[]@.PolicyRulesWithSubjects
flowcontrol.v1beta2.FlowSchemaStatus conditions?:1[]@.FlowSchemaCondition
flowcontrol.v1beta2.GroupSubject name:1s
flowcontrol.v1beta2.LimitResponse type:1s queuing?*:2@.QueuingConfiguration
flowcontrol.v1beta2.LimitedPriorityLevelConfiguration assuredConcurrencyShares:1i limitResponse:2@.LimitResponse lendablePercent?*:3i borrowingLimitPercent?*:4i
flowcontrol.v1beta2.NonResourcePolicyRule verbs:1[]s nonResourceURLs:6[]s
flowcontrol.v1beta2.PolicyRulesWithSubjects subjects:1[]@.Subject resourceRules?:2[]@.ResourcePolicyRule nonResourceRules?:3[]@.NonResourcePolicyRule
flowcontrol.v1beta2.PriorityLevelConfiguration metadata:1@meta.v1.ObjectMeta spec:2@.PriorityLevelConfigurationSpec status:3@.PriorityLevelConfigurationStatus
flowcontrol.v1beta2.PriorityLevelConfigurationCondition type?:1s status?:2s lastTransitionTime:3t reason?:4s message?:5s
flowcontrol.v1beta2.PriorityLevelConfigurationList metadata:1@meta.v1.ListMeta items:2[]@.PriorityLevelConfiguration
flowcontrol.v1beta2.PriorityLevelConfigurationReference name:1s
flowcontrol.v1beta2.PriorityLevelConfigurationSpec type:1s limited?*:2@.LimitedPriorityLevelConfiguration exempt?*:3@.ExemptPriorityLevelConfiguration
flowcontrol.v1beta2.PriorityLevelConfigurationStatus conditions?:1[]@.PriorityLevelConfigurationCondition
flowcontrol.v1beta2.QueuingConfiguration queues:1i handSize:2i queueLengthLimit:3i
flowcontrol.v1beta2.ResourcePolicyRule verbs:1[]s apiGroups:2[]s resources:3[]s clusterScope?:4b namespaces:5[]s
flowcontrol.v1beta2.ServiceAccountSubject namespace:1s name:2s
flowcontrol.v1beta2.Subject kind:1s user?*:2@.UserSubject group?*:3@.GroupSubject serviceAccount?*:4@.ServiceAccountSubject
flowcontrol.v1beta2.UserSubject name:1s
flowcontrol.v1beta3.ExemptPriorityLevelConfiguration nominalConcurrencyShares?*:1i lendablePercent?*:2i
flowcontrol.v1beta3.FlowDistinguisherMethod type:1s
flowcontrol.v1beta3.FlowSchema metadata:1@meta.v1.ObjectMeta spec:2@.FlowSchemaSpec status:3@.FlowSchemaStatus
flowcontrol.v1beta3.FlowSchemaCondition type?:1s status?:2s lastTransitionTime:3t reason?:4s message?:5s
flowcontrol.v1beta3.FlowSchemaList metadata:1@meta.v1.ListMeta items:2[]@.FlowSchema
flowcontrol.v1beta3.FlowSchemaSpec priorityLevelConfiguration:1@.PriorityLevelConfigurationReference matchingPrecedence:2i distinguisherMethod?*:3@.FlowDistinguisherMethod rules?:4[]@.PolicyRulesWithSubjects
flowcontrol.v1beta3.FlowSchemaStatus conditions?:1[]@.FlowSchemaCondition
flowcontrol.v1beta3.GroupSubject name:1s
flowcontrol.v1beta3.LimitResponse type:1s queuing?*:2@.QueuingConfiguration
flowcontrol.v1beta3.LimitedPriorityLevelConfiguration nominalConcurrencyShares:1i limitResponse:2@.LimitResponse lendablePercent?*:3i borrowingLimitPercent?*:4i
flowcontrol.v1beta3.NonResourcePolicyRule verbs:1[]s nonResourceURLs:6[]s
flowcontrol.v1beta3.PolicyRulesWithSubjects subjects:1[]@.Subject resourceRules?:2[]@.ResourcePolicyRule nonResourceRules?:3[]@.NonResourcePolicyRule
flowcontrol.v1beta3.PriorityLevelConfiguration metadata:1@meta.v1.ObjectMeta spec:2@.PriorityLevelConfigurationSpec status:3@.PriorityLevelConfigurationStatus
flowcontrol.v1beta3.PriorityLevelConfigurationCondition type?:1s status?:2s lastTransitionTime:3t reason?:4s message?:5s
flowcontrol.v1beta3.PriorityLevelConfigurationList metadata:1@meta.v1.ListMeta items:2[]@.PriorityLevelConfiguration
flowcontrol.v1beta3.PriorityLevelConfigurationReference name:1s
flowcontrol.v1beta3.PriorityLevelConfigurationSpec type:1s limited?*:2@.LimitedPriorityLevelConfiguration exempt?*:3@.ExemptPriorityLevelConfiguration
flowcontrol.v1beta3.PriorityLevelConfigurationStatus conditions?:1[]@.PriorityLevelConfigurationCondition
flowcontrol.v1beta3.QueuingConfiguration queues:1i handSize:2i queueLengthLimit:3i
flowcontrol.v1beta3.ResourcePolicyRule verbs:1[]s apiGroups:2[]s resources:3[]s clusterScope?:4b namespaces:5[]s
flowcontrol.v1beta3.ServiceAccountSubject namespace:1s name:2s
flowcontrol.v1beta3.Subject kind:1s user?*:2@.UserSubject group?*:3@.GroupSubject serviceAccount?*:4@.ServiceAccountSubject
flowcontrol.v1beta3.UserSubject name:1s
lifecycle.v1alpha1.Eviction metadata:1@meta.v1.ObjectMeta spec:2@.EvictionSpec status:3@.EvictionStatus
lifecycle.v1alpha1.EvictionList metadata:1@meta.v1.ListMeta items:2[]@.Eviction
lifecycle.v1alpha1.EvictionPodReference name:1s uid:2s
lifecycle.v1alpha1.EvictionRequest metadata:1@meta.v1.ObjectMeta spec:2@.EvictionRequestSpec status:3@.EvictionRequestStatus
lifecycle.v1alpha1.EvictionRequestList metadata:1@meta.v1.ListMeta items:2[]@.EvictionRequest
lifecycle.v1alpha1.EvictionRequestPodReference name:1s uid:2s
lifecycle.v1alpha1.EvictionRequestSpec target:1@.EvictionRequestTarget requester:2s intent:3s
lifecycle.v1alpha1.EvictionRequestStatus conditions?:1[]@meta.v1.Condition observedGeneration?*:2l
lifecycle.v1alpha1.EvictionRequestTarget pod?*:1@.EvictionRequestPodReference
lifecycle.v1alpha1.EvictionSpec target:1@.EvictionTarget
lifecycle.v1alpha1.EvictionStatus conditions?:1[]@meta.v1.Condition observedGeneration?*:2l requesters?:3[]@.Requester targetResponders?:4[]@.TargetResponder responders?:5[]@.ResponderStatus
lifecycle.v1alpha1.EvictionTarget pod?*:1@.EvictionPodReference
lifecycle.v1alpha1.Requester name:1s intent:2s
lifecycle.v1alpha1.ResponderStatus name:1s startTime?*:2t heartbeatTime?*:3t expectedCompletionTime?*:4t completionTime?*:5t message?*:6s
lifecycle.v1alpha1.TargetResponder name:1s priority*:2i state:3s
meta.v1.APIGroup name:1s versions:2[]@.GroupVersionForDiscovery preferredVersion:3@.GroupVersionForDiscovery serverAddressByClientCIDRs?:4[]@.ServerAddressByClientCIDR
meta.v1.APIGroupList groups:1[]@.APIGroup
meta.v1.APIResource name:1s singularName:6s namespaced:2b group?:8s version?:9s kind:3s verbs:4n shortNames?:5[]s categories?:7[]s storageVersionHash?:10s
meta.v1.APIResourceList groupVersion:1s resources:2[]@.APIResource
meta.v1.APIVersions versions:1[]s serverAddressByClientCIDRs:2[]@.ServerAddressByClientCIDR
meta.v1.Condition type:1s status:2s observedGeneration?:3l lastTransitionTime:4t reason:5s message:6s
meta.v1.CreateOptions dryRun?:1[]s fieldManager?:3s fieldValidation?:4s
meta.v1.DeleteOptions gracePeriodSeconds?*:1l preconditions?*:2@.Preconditions orphanDependents?*:3b propagationPolicy?*:4s dryRun?:5[]s ignoreStoreReadErrorWithClusterBreakingPotential?*:6b
meta.v1.FieldSelectorRequirement key:1s operator:2s values?:3[]s
meta.v1.GetOptions resourceVersion?:1s
meta.v1.GroupResource group:1s resource:2s
meta.v1.GroupVersionForDiscovery groupVersion:1s version:2s
meta.v1.LabelSelector matchLabels?:1{}s matchExpressions?:2[]@.LabelSelectorRequirement
meta.v1.LabelSelectorRequirement key:1s operator:2s values?:3[]s
meta.v1.ListMeta selfLink?:1s resourceVersion?:2s continue?:3s remainingItemCount?*:4l shardInfo?*:5@.ShardInfo
meta.v1.ListOptions labelSelector?:1s fieldSelector?:2s watch?:3b allowWatchBookmarks?:9b resourceVersion?:4s resourceVersionMatch?:10s timeoutSeconds?*:5l limit?:7l continue?:8s sendInitialEvents?*:11b shardSelector?:15s
meta.v1.ManagedFieldsEntry manager?:1s operation?:2s apiVersion?:3s time?*:4t fieldsType?:6s fieldsV1?*:7r subresource?:8s
meta.v1.ObjectMeta name?:1s generateName?:2s namespace?:3s selfLink?:4s uid?:5s resourceVersion?:6s generation?:7l creationTimestamp?:8t deletionTimestamp?*:9t deletionGracePeriodSeconds?*:10l labels?:11{}s annotations?:12{}s ownerReferences?:13[]@.OwnerReference finalizers?:14[]s managedFields?:17[]@.ManagedFieldsEntry
meta.v1.OwnerReference apiVersion:5s kind:1s name:3s uid:4s controller?*:6b blockOwnerDeletion?*:7b
meta.v1.PartialObjectMetadata metadata:1@.ObjectMeta
meta.v1.PartialObjectMetadataList metadata:1@.ListMeta items:2[]@.PartialObjectMetadata
meta.v1.PatchOptions dryRun?:1[]s force?*:2b fieldManager?:3s fieldValidation?:4s
meta.v1.Preconditions uid?*:1s resourceVersion?*:2s
meta.v1.ServerAddressByClientCIDR clientCIDR:1s serverAddress:2s
meta.v1.ShardInfo selector:1s
meta.v1.Status metadata:1@.ListMeta status?:2s message?:3s reason?:4s details?*:5@.StatusDetails code?:6i
meta.v1.StatusCause reason?:1s message?:2s field?:3s
meta.v1.StatusDetails name?:1s group?:2s kind?:3s uid?:6s causes?:4[]@.StatusCause retryAfterSeconds?:5i
meta.v1.TableOptions includeObject?:1s
meta.v1.UpdateOptions dryRun?:1[]s fieldManager?:2s fieldValidation?:3s
meta.v1.WatchEvent type:1s object:2e
networking.v1.HTTPIngressPath path?:1s pathType*:3s backend:2@.IngressBackend
networking.v1.HTTPIngressRuleValue paths:1[]@.HTTPIngressPath
networking.v1.IPAddress metadata:1@meta.v1.ObjectMeta spec:2@.IPAddressSpec
networking.v1.IPAddressList metadata:1@meta.v1.ListMeta items:2[]@.IPAddress
networking.v1.IPAddressSpec parentRef?*:1@.ParentReference
networking.v1.IPBlock cidr:1s except?:2[]s
networking.v1.Ingress metadata:1@meta.v1.ObjectMeta spec:2@.IngressSpec status:3@.IngressStatus
networking.v1.IngressBackend service?*:4@.IngressServiceBackend resource?*:3@core.v1.TypedLocalObjectReference
networking.v1.IngressClass metadata:1@meta.v1.ObjectMeta spec:2@.IngressClassSpec
networking.v1.IngressClassList metadata:1@meta.v1.ListMeta items:2[]@.IngressClass
networking.v1.IngressClassParametersReference apiGroup?*:1s kind:2s name:3s scope*:4s namespace?*:5s
networking.v1.IngressClassSpec controller?:1s parameters?*:2@.IngressClassParametersReference
networking.v1.IngressList metadata:1@meta.v1.ListMeta items:2[]@.Ingress
networking.v1.IngressLoadBalancerIngress ip?:1s hostname?:2s ports?:4[]@.IngressPortStatus
networking.v1.IngressLoadBalancerStatus ingress?:1[]@.IngressLoadBalancerIngress
networking.v1.IngressPortStatus port:1i protocol:2s error?*:3s
networking.v1.IngressRule host?:1s ^:2@.IngressRuleValue
networking.v1.IngressRuleValue http?*:1@.HTTPIngressRuleValue
networking.v1.IngressServiceBackend name:1s port:2@.ServiceBackendPort
networking.v1.IngressSpec ingressClassName?*:4s defaultBackend?*:1@.IngressBackend tls?:2[]@.IngressTLS rules?:3[]@.IngressRule
networking.v1.IngressStatus loadBalancer:1@.IngressLoadBalancerStatus
networking.v1.IngressTLS hosts?:1[]s secretName?:2s
networking.v1.NetworkPolicy metadata:1@meta.v1.ObjectMeta spec:2@.NetworkPolicySpec
networking.v1.NetworkPolicyEgressRule ports?:1[]@.NetworkPolicyPort to?:2[]@.NetworkPolicyPeer
networking.v1.NetworkPolicyIngressRule ports?:1[]@.NetworkPolicyPort from?:2[]@.NetworkPolicyPeer
networking.v1.NetworkPolicyList metadata:1@meta.v1.ListMeta items:2[]@.NetworkPolicy
networking.v1.NetworkPolicyPeer podSelector?*:1@meta.v1.LabelSelector namespaceSelector?*:2@meta.v1.LabelSelector ipBlock?*:3@.IPBlock
networking.v1.NetworkPolicyPort protocol?*:1s port?*:2x endPort?*:3i
networking.v1.NetworkPolicySpec podSelector:1@meta.v1.LabelSelector ingress?:2[]@.NetworkPolicyIngressRule egress?:3[]@.NetworkPolicyEgressRule policyTypes?:4[]s
networking.v1.ParentReference group?:1s resource?:2s namespace?:3s name?:4s
networking.v1.ServiceBackendPort name?:1s number?:2i
networking.v1.ServiceCIDR metadata:1@meta.v1.ObjectMeta spec:2@.ServiceCIDRSpec status:3@.ServiceCIDRStatus
networking.v1.ServiceCIDRList metadata:1@meta.v1.ListMeta items:2[]@.ServiceCIDR
networking.v1.ServiceCIDRSpec cidrs?:1[]s
networking.v1.ServiceCIDRStatus conditions?:1[]@meta.v1.Condition
networking.v1alpha1.IPAddress metadata:1@meta.v1.ObjectMeta spec:2@.IPAddressSpec
networking.v1alpha1.IPAddressList metadata:1@meta.v1.ListMeta items:2[]@.IPAddress
networking.v1alpha1.IPAddressSpec parentRef?*:1@.ParentReference
networking.v1alpha1.ParentReference group?:1s resource?:2s namespace?:3s name?:4s
networking.v1alpha1.ServiceCIDR metadata:1@meta.v1.ObjectMeta spec:2@.ServiceCIDRSpec status:3@.ServiceCIDRStatus
networking.v1alpha1.ServiceCIDRList metadata:1@meta.v1.ListMeta items:2[]@.ServiceCIDR
networking.v1alpha1.ServiceCIDRSpec cidrs?:1[]s
networking.v1alpha1.ServiceCIDRStatus conditions?:1[]@meta.v1.Condition
networking.v1beta1.HTTPIngressPath path?:1s pathType?*:3s backend:2@.IngressBackend
networking.v1beta1.HTTPIngressRuleValue paths:1[]@.HTTPIngressPath
networking.v1beta1.IPAddress metadata:1@meta.v1.ObjectMeta spec:2@.IPAddressSpec
networking.v1beta1.IPAddressList metadata:1@meta.v1.ListMeta items:2[]@.IPAddress
networking.v1beta1.IPAddressSpec parentRef?*:1@.ParentReference
networking.v1beta1.Ingress metadata:1@meta.v1.ObjectMeta spec:2@.IngressSpec status:3@.IngressStatus
networking.v1beta1.IngressBackend serviceName?:1s servicePort:2x resource?*:3@core.v1.TypedLocalObjectReference
networking.v1beta1.IngressClass metadata:1@meta.v1.ObjectMeta spec:2@.IngressClassSpec
networking.v1beta1.IngressClassList metadata:1@meta.v1.ListMeta items:2[]@.IngressClass
networking.v1beta1.IngressClassParametersReference apiGroup?*:1s kind:2s name:3s scope*:4s namespace?*:5s
networking.v1beta1.IngressClassSpec controller?:1s parameters?*:2@.IngressClassParametersReference
networking.v1beta1.IngressList metadata:1@meta.v1.ListMeta items:2[]@.Ingress
networking.v1beta1.IngressLoadBalancerIngress ip?:1s hostname?:2s ports?:4[]@.IngressPortStatus
networking.v1beta1.IngressLoadBalancerStatus ingress?:1[]@.IngressLoadBalancerIngress
networking.v1beta1.IngressPortStatus port:1i protocol:2s error?*:3s
networking.v1beta1.IngressRule host?:1s ^:2@.IngressRuleValue
networking.v1beta1.IngressRuleValue http?*:1@.HTTPIngressRuleValue
networking.v1beta1.IngressSpec ingressClassName?*:4s backend?*:1@.IngressBackend tls?:2[]@.IngressTLS rules?:3[]@.IngressRule
networking.v1beta1.IngressStatus loadBalancer:1@.IngressLoadBalancerStatus
networking.v1beta1.IngressTLS hosts?:1[]s secretName?:2s
networking.v1beta1.ParentReference group?:1s resource?:2s namespace?:3s name?:4s
networking.v1beta1.ServiceCIDR metadata:1@meta.v1.ObjectMeta spec:2@.ServiceCIDRSpec status:3@.ServiceCIDRStatus
networking.v1beta1.ServiceCIDRList metadata:1@meta.v1.ListMeta items:2[]@.ServiceCIDR
networking.v1beta1.ServiceCIDRSpec cidrs?:1[]s
networking.v1beta1.ServiceCIDRStatus conditions?:1[]@meta.v1.Condition
node.v1.Overhead podFixed?:1{}q
node.v1.RuntimeClass metadata:1@meta.v1.ObjectMeta handler:2s overhead?*:3@.Overhead scheduling?*:4@.Scheduling
node.v1.RuntimeClassList metadata:1@meta.v1.ListMeta items:2[]@.RuntimeClass
node.v1.Scheduling nodeSelector?:1{}s tolerations?:2[]@core.v1.Toleration
node.v1alpha1.Overhead podFixed?:1{}q
node.v1alpha1.RuntimeClass metadata:1@meta.v1.ObjectMeta spec:2@.RuntimeClassSpec
node.v1alpha1.RuntimeClassList metadata:1@meta.v1.ListMeta items:2[]@.RuntimeClass
node.v1alpha1.RuntimeClassSpec runtimeHandler:1s overhead?*:2@.Overhead scheduling?*:3@.Scheduling
node.v1alpha1.Scheduling nodeSelector?:1{}s tolerations?:2[]@core.v1.Toleration
node.v1beta1.Overhead podFixed?:1{}q
node.v1beta1.RuntimeClass metadata:1@meta.v1.ObjectMeta handler:2s overhead?*:3@.Overhead scheduling?*:4@.Scheduling
node.v1beta1.RuntimeClassList metadata:1@meta.v1.ListMeta items:2[]@.RuntimeClass
node.v1beta1.Scheduling nodeSelector?:1{}s tolerations?:2[]@core.v1.Toleration
policy.v1.Eviction metadata:1@meta.v1.ObjectMeta deleteOptions?*:2@meta.v1.DeleteOptions
policy.v1.PodDisruptionBudget metadata:1@meta.v1.ObjectMeta spec:2@.PodDisruptionBudgetSpec status:3@.PodDisruptionBudgetStatus
policy.v1.PodDisruptionBudgetList metadata:1@meta.v1.ListMeta items:2[]@.PodDisruptionBudget
policy.v1.PodDisruptionBudgetSpec minAvailable?*:1x selector?*:2@meta.v1.LabelSelector maxUnavailable?*:3x unhealthyPodEvictionPolicy?*:4s
policy.v1.PodDisruptionBudgetStatus observedGeneration?:1l disruptedPods?:2{}t disruptionsAllowed:3i currentHealthy:4i desiredHealthy:5i expectedPods:6i conditions?:7[]@meta.v1.Condition
policy.v1beta1.Eviction metadata:1@meta.v1.ObjectMeta deleteOptions?*:2@meta.v1.DeleteOptions
policy.v1beta1.PodDisruptionBudget metadata:1@meta.v1.ObjectMeta spec:2@.PodDisruptionBudgetSpec status:3@.PodDisruptionBudgetStatus
policy.v1beta1.PodDisruptionBudgetList metadata:1@meta.v1.ListMeta items:2[]@.PodDisruptionBudget
policy.v1beta1.PodDisruptionBudgetSpec minAvailable?*:1x selector?*:2@meta.v1.LabelSelector maxUnavailable?*:3x unhealthyPodEvictionPolicy?*:4s
policy.v1beta1.PodDisruptionBudgetStatus observedGeneration?:1l disruptedPods?:2{}t disruptionsAllowed:3i currentHealthy:4i desiredHealthy:5i expectedPods:6i conditions?:7[]@meta.v1.Condition
rbac.v1.AggregationRule clusterRoleSelectors?:1[]@meta.v1.LabelSelector
rbac.v1.ClusterRole metadata:1@meta.v1.ObjectMeta rules:2[]@.PolicyRule aggregationRule?*:3@.AggregationRule
rbac.v1.ClusterRoleBinding metadata:1@meta.v1.ObjectMeta subjects?:2[]@.Subject roleRef:3@.RoleRef
rbac.v1.ClusterRoleBindingList metadata:1@meta.v1.ListMeta items:2[]@.ClusterRoleBinding
rbac.v1.ClusterRoleList metadata:1@meta.v1.ListMeta items:2[]@.ClusterRole
rbac.v1.PolicyRule verbs:1[]s apiGroups?:2[]s resources?:3[]s resourceNames?:4[]s nonResourceURLs?:5[]s
rbac.v1.Role metadata:1@meta.v1.ObjectMeta rules:2[]@.PolicyRule
rbac.v1.RoleBinding metadata:1@meta.v1.ObjectMeta subjects?:2[]@.Subject roleRef:3@.RoleRef
rbac.v1.RoleBindingList metadata:1@meta.v1.ListMeta items:2[]@.RoleBinding
rbac.v1.RoleList metadata:1@meta.v1.ListMeta items:2[]@.Role
rbac.v1.RoleRef apiGroup:1s kind:2s name:3s
rbac.v1.Subject kind:1s apiGroup?:2s name:3s namespace?:4s
rbac.v1alpha1.AggregationRule clusterRoleSelectors?:1[]@meta.v1.LabelSelector
rbac.v1alpha1.ClusterRole metadata:1@meta.v1.ObjectMeta rules:2[]@.PolicyRule aggregationRule?*:3@.AggregationRule
rbac.v1alpha1.ClusterRoleBinding metadata:1@meta.v1.ObjectMeta subjects?:2[]@.Subject roleRef:3@.RoleRef
rbac.v1alpha1.ClusterRoleBindingList metadata:1@meta.v1.ListMeta items:2[]@.ClusterRoleBinding
rbac.v1alpha1.ClusterRoleList metadata:1@meta.v1.ListMeta items:2[]@.ClusterRole
rbac.v1alpha1.PolicyRule verbs:1[]s apiGroups?:3[]s resources?:4[]s resourceNames?:5[]s nonResourceURLs?:6[]s
rbac.v1alpha1.Role metadata:1@meta.v1.ObjectMeta rules:2[]@.PolicyRule
rbac.v1alpha1.RoleBinding metadata:1@meta.v1.ObjectMeta subjects?:2[]@.Subject roleRef:3@.RoleRef
rbac.v1alpha1.RoleBindingList metadata:1@meta.v1.ListMeta items:2[]@.RoleBinding
rbac.v1alpha1.RoleList metadata:1@meta.v1.ListMeta items:2[]@.Role
rbac.v1alpha1.RoleRef apiGroup:1s kind:2s name:3s
rbac.v1alpha1.Subject kind:1s apiVersion?:2s name:3s namespace?:4s
rbac.v1beta1.AggregationRule clusterRoleSelectors?:1[]@meta.v1.LabelSelector
rbac.v1beta1.ClusterRole metadata:1@meta.v1.ObjectMeta rules:2[]@.PolicyRule aggregationRule?*:3@.AggregationRule
rbac.v1beta1.ClusterRoleBinding metadata:1@meta.v1.ObjectMeta subjects?:2[]@.Subject roleRef:3@.RoleRef
rbac.v1beta1.ClusterRoleBindingList metadata:1@meta.v1.ListMeta items:2[]@.ClusterRoleBinding
rbac.v1beta1.ClusterRoleList metadata:1@meta.v1.ListMeta items:2[]@.ClusterRole
rbac.v1beta1.PolicyRule verbs:1[]s apiGroups?:2[]s resources?:3[]s resourceNames?:4[]s nonResourceURLs?:5[]s
rbac.v1beta1.Role metadata:1@meta.v1.ObjectMeta rules:2[]@.PolicyRule
rbac.v1beta1.RoleBinding metadata:1@meta.v1.ObjectMeta subjects?:2[]@.Subject roleRef:3@.RoleRef
rbac.v1beta1.RoleBindingList metadata:1@meta.v1.ListMeta items:2[]@.RoleBinding
rbac.v1beta1.RoleList metadata:1@meta.v1.ListMeta items:2[]@.Role
rbac.v1beta1.RoleRef apiGroup:1s kind:2s name:3s
rbac.v1beta1.Subject kind:1s apiGroup?:2s name:3s namespace?:4s
resource.v1.AllocatedDeviceStatus driver:1s pool:2s device:3s shareID?*:7s conditions:4[]@meta.v1.Condition data?*:5e networkData?*:6@.NetworkDeviceData
resource.v1.AllocationResult devices:1@.DeviceAllocationResult nodeSelector?*:3@core.v1.NodeSelector allocationTimestamp?*:5t
resource.v1.CELDeviceSelector expression:1s
resource.v1.CapacityRequestPolicy default*:1q validValues?:3[]q validRange?*:4@.CapacityRequestPolicyRange
resource.v1.CapacityRequestPolicyRange min?*:1q max?*:2q step?*:3q
resource.v1.CapacityRequirements requests?:1{}q
resource.v1.Counter value:1q
resource.v1.CounterSet name:1s counters?:2{}@.Counter
resource.v1.Device name:1s attributes?:2{}@.DeviceAttribute capacity?:3{}@.DeviceCapacity consumesCounters?:4[]@.DeviceCounterConsumption nodeName?*:5s nodeSelector?*:6@core.v1.NodeSelector allNodes?*:7b taints?:8[]@.DeviceTaint bindsToNode?*:9b bindingConditions?:10[]s bindingFailureConditions?:11[]s allowMultipleAllocations?*:12b nodeAllocatableResources?:14{}@.NodeAllocatableResource nodeAllocatableResourceMappings?:13{}@.NodeAllocatableResourceMapping
resource.v1.DeviceAllocationConfiguration source:1s requests?:2[]s ^:3@.DeviceConfiguration
resource.v1.DeviceAllocationResult results?:1[]@.DeviceRequestAllocationResult config?:2[]@.DeviceAllocationConfiguration
resource.v1.DeviceAttribute int?*:2l bool?*:3b string?*:4s version?*:5s ints?:6[]l bools?:7[]b strings?:8[]s versions?:9[]s
resource.v1.DeviceCapacity value:1q requestPolicy?*:2@.CapacityRequestPolicy
resource.v1.DeviceClaim requests:1[]@.DeviceRequest constraints?:2[]@.DeviceConstraint config?:3[]@.DeviceClaimConfiguration
resource.v1.DeviceClaimConfiguration requests?:1[]s ^:2@.DeviceConfiguration
resource.v1.DeviceClass metadata:1@meta.v1.ObjectMeta spec:2@.DeviceClassSpec
resource.v1.DeviceClassConfiguration ^:1@.DeviceConfiguration
resource.v1.DeviceClassList metadata:1@meta.v1.ListMeta items:2[]@.DeviceClass
resource.v1.DeviceClassSpec selectors?:1[]@.DeviceSelector config?:2[]@.DeviceClassConfiguration extendedResourceName?*:4s
resource.v1.DeviceConfiguration opaque?*:1@.OpaqueDeviceConfiguration
resource.v1.DeviceConstraint requests?:1[]s matchAttribute?*:2s distinctAttribute?*:3s
resource.v1.DeviceCounterConsumption counterSet:1s counters?:2{}@.Counter compatibilityGroups?:3[]s
resource.v1.DeviceDerivedAttribute name:1s expression:2s
resource.v1.DeviceRequest name:1s exactly?*:2@.ExactDeviceRequest firstAvailable?:3[]@.DeviceSubRequest
resource.v1.DeviceRequestAllocationResult request:1s driver:2s pool:3s device:4s adminAccess?*:5b tolerations?:6[]@.DeviceToleration bindingConditions?:7[]s bindingFailureConditions?:8[]s shareID?*:9s consumedCapacity?:10{}q skipNodeOperations?:11[]s
resource.v1.DeviceSelector cel?*:1@.CELDeviceSelector
resource.v1.DeviceSubRequest name:1s deviceClassName:2s selectors?:3[]@.DeviceSelector allocationMode?:4s count?:5l tolerations?:6[]@.DeviceToleration capacity?*:7@.CapacityRequirements derivedAttributes?:8[]@.DeviceDerivedAttribute
resource.v1.DeviceTaint key:1s value?:2s effect:3s timeAdded?*:4t
resource.v1.DeviceTaintRule metadata:1@meta.v1.ObjectMeta spec:2@.DeviceTaintRuleSpec status:3@.DeviceTaintRuleStatus
resource.v1.DeviceTaintRuleList metadata:1@meta.v1.ListMeta items:2[]@.DeviceTaintRule
resource.v1.DeviceTaintRuleSpec deviceSelector?*:1@.DeviceTaintSelector taint:2@.DeviceTaint
resource.v1.DeviceTaintRuleStatus conditions?:1[]@meta.v1.Condition
resource.v1.DeviceTaintSelector driver?*:2s pool?*:3s device?*:4s
resource.v1.DeviceToleration key?:1s operator?:2s value?:3s effect?:4s tolerationSeconds?*:5l
resource.v1.ExactDeviceRequest deviceClassName:1s selectors?:2[]@.DeviceSelector allocationMode?:3s count?:4l adminAccess?*:5b tolerations?:6[]@.DeviceToleration capacity?*:7@.CapacityRequirements derivedAttributes?:8[]@.DeviceDerivedAttribute
resource.v1.NetworkDeviceData interfaceName?:1s ips?:2[]s hardwareAddress?:3s
resource.v1.NodeAllocatableMapping capacityKey?*:1s capacityMultiplier?*:2q deviceMultiplier?*:3q
resource.v1.NodeAllocatableOverhead perPod?*:1q perContainer?*:2q
resource.v1.NodeAllocatableResource mapping?*:3@.NodeAllocatableMapping overhead?*:4@.NodeAllocatableOverhead
resource.v1.NodeAllocatableResourceMapping capacityKey?*:1s allocationMultiplier?*:2q
resource.v1.OpaqueDeviceConfiguration driver:1s parameters:2e
resource.v1.ResourceClaim metadata:1@meta.v1.ObjectMeta spec:2@.ResourceClaimSpec status:3@.ResourceClaimStatus
resource.v1.ResourceClaimConsumerReference apiGroup?:1s resource:3s name:4s uid:5s
resource.v1.ResourceClaimList metadata:1@meta.v1.ListMeta items:2[]@.ResourceClaim
resource.v1.ResourceClaimSpec devices:1@.DeviceClaim
resource.v1.ResourceClaimStatus allocation?*:1@.AllocationResult reservedFor?:2[]@.ResourceClaimConsumerReference devices?:4[]@.AllocatedDeviceStatus
resource.v1.ResourceClaimTemplate metadata:1@meta.v1.ObjectMeta spec:2@.ResourceClaimTemplateSpec
resource.v1.ResourceClaimTemplateList metadata:1@meta.v1.ListMeta items:2[]@.ResourceClaimTemplate
resource.v1.ResourceClaimTemplateSpec metadata:1@meta.v1.ObjectMeta spec:2@.ResourceClaimSpec
resource.v1.ResourcePool name:1s generation:2l resourceSliceCount:3l
resource.v1.ResourceSlice metadata:1@meta.v1.ObjectMeta spec:2@.ResourceSliceSpec
resource.v1.ResourceSliceList metadata:1@meta.v1.ListMeta items:2[]@.ResourceSlice
resource.v1.ResourceSliceSpec driver:1s pool:2@.ResourcePool nodeName?*:3s nodeSelector?*:4@core.v1.NodeSelector allNodes?*:5b devices?:6[]@.Device perDeviceNodeSelection?*:7b sharedCounters?:8[]@.CounterSet partitionTypeAttribute?*:9s skipNodeOperations?:10[]s
resource.v1alpha3.AllocatedDeviceStatus driver:1s pool:2s device:3s conditions:4[]@meta.v1.Condition data?*:5e networkData?*:6@.NetworkDeviceData
resource.v1alpha3.AllocationResult devices:1@.DeviceAllocationResult nodeSelector?*:3@core.v1.NodeSelector
resource.v1alpha3.BasicDevice attributes?:1{}@.DeviceAttribute capacity?:2{}q consumesCounters?:3[]@.DeviceCounterConsumption nodeName?*:4s nodeSelector?*:5@core.v1.NodeSelector allNodes?*:6b taints?:7[]@.DeviceTaint
resource.v1alpha3.CELDeviceSelector expression:1s
resource.v1alpha3.Counter value:1q
resource.v1alpha3.CounterSet name:1s counters?:2{}@.Counter
resource.v1alpha3.Device name:1s basic?*:2@.BasicDevice
resource.v1alpha3.DeviceAllocationConfiguration source:1s requests?:2[]s ^:3@.DeviceConfiguration
resource.v1alpha3.DeviceAllocationResult results?:1[]@.DeviceRequestAllocationResult config?:2[]@.DeviceAllocationConfiguration
resource.v1alpha3.DeviceAttribute int?*:2l bool?*:3b string?*:4s version?*:5s
resource.v1alpha3.DeviceClaim requests:1[]@.DeviceRequest constraints?:2[]@.DeviceConstraint config?:3[]@.DeviceClaimConfiguration
resource.v1alpha3.DeviceClaimConfiguration requests?:1[]s ^:2@.DeviceConfiguration
resource.v1alpha3.DeviceClass metadata:1@meta.v1.ObjectMeta spec:2@.DeviceClassSpec
resource.v1alpha3.DeviceClassConfiguration ^:1@.DeviceConfiguration
resource.v1alpha3.DeviceClassList metadata:1@meta.v1.ListMeta items:2[]@.DeviceClass
resource.v1alpha3.DeviceClassSpec selectors?:1[]@.DeviceSelector config?:2[]@.DeviceClassConfiguration
resource.v1alpha3.DeviceConfiguration opaque?*:1@.OpaqueDeviceConfiguration
resource.v1alpha3.DeviceConstraint requests?:1[]s matchAttribute?*:2s
resource.v1alpha3.DeviceCounterConsumption counterSet:1s counters?:2{}@.Counter
resource.v1alpha3.DeviceRequest name:1s deviceClassName:2s selectors?:3[]@.DeviceSelector allocationMode?:4s count?:5l adminAccess?*:6b firstAvailable?:7[]@.DeviceSubRequest tolerations?:8[]@.DeviceToleration
resource.v1alpha3.DeviceRequestAllocationResult request:1s driver:2s pool:3s device:4s adminAccess*:5b tolerations?:6[]@.DeviceToleration
resource.v1alpha3.DeviceSelector cel?*:1@.CELDeviceSelector
resource.v1alpha3.DeviceSubRequest name:1s deviceClassName:2s selectors?:3[]@.DeviceSelector allocationMode?:4s count?:5l tolerations?:7[]@.DeviceToleration
resource.v1alpha3.DeviceTaint key:1s value?:2s effect:3s timeAdded?*:4t
resource.v1alpha3.DeviceTaintRule metadata:1@meta.v1.ObjectMeta spec:2@.DeviceTaintRuleSpec status:3@.DeviceTaintRuleStatus
resource.v1alpha3.DeviceTaintRuleList metadata:1@meta.v1.ListMeta items:2[]@.DeviceTaintRule
resource.v1alpha3.DeviceTaintRuleSpec deviceSelector?*:1@.DeviceTaintSelector taint:2@.DeviceTaint
resource.v1alpha3.DeviceTaintRuleStatus conditions?:1[]@meta.v1.Condition
resource.v1alpha3.DeviceTaintSelector driver?*:2s pool?*:3s device?*:4s deviceClassName?*:1s selectors?:5[]@.DeviceSelector
resource.v1alpha3.DeviceToleration key?:1s operator?:2s value?:3s effect?:4s tolerationSeconds?*:5l
resource.v1alpha3.NetworkDeviceData interfaceName?:1s ips?:2[]s hardwareAddress?:3s
resource.v1alpha3.OpaqueDeviceConfiguration driver:1s parameters:2e
resource.v1alpha3.PartitionTypeStatus attribute?:4s type?:1s total?*:2i allocatable?*:3i
resource.v1alpha3.PoolStatus driver?:1s poolName?:2s generation:9l resourceSliceCount?*:8i totalDevices?*:4i allocatedDevices?*:5i availableDevices?*:6i unavailableDevices?*:7i nodeName?*:3s validationError?*:10s partitionSummary?:11[]@.PartitionTypeStatus shareableSummary?*:13@.ShareableSummaryStatus
resource.v1alpha3.ResourceClaim metadata:1@meta.v1.ObjectMeta spec:2@.ResourceClaimSpec status:3@.ResourceClaimStatus
resource.v1alpha3.ResourceClaimConsumerReference apiGroup?:1s resource:3s name:4s uid:5s
resource.v1alpha3.ResourceClaimList metadata:1@meta.v1.ListMeta items:2[]@.ResourceClaim
resource.v1alpha3.ResourceClaimSpec devices:1@.DeviceClaim
resource.v1alpha3.ResourceClaimStatus allocation?*:1@.AllocationResult reservedFor?:2[]@.ResourceClaimConsumerReference devices?:4[]@.AllocatedDeviceStatus
resource.v1alpha3.ResourceClaimTemplate metadata:1@meta.v1.ObjectMeta spec:2@.ResourceClaimTemplateSpec
resource.v1alpha3.ResourceClaimTemplateList metadata:1@meta.v1.ListMeta items:2[]@.ResourceClaimTemplate
resource.v1alpha3.ResourceClaimTemplateSpec metadata:1@meta.v1.ObjectMeta spec:2@.ResourceClaimSpec
resource.v1alpha3.ResourcePool name:1s generation:2l resourceSliceCount:3l
resource.v1alpha3.ResourcePoolStatusRequest metadata:1@meta.v1.ObjectMeta spec:2@.ResourcePoolStatusRequestSpec status?*:3@.ResourcePoolStatusRequestStatus
resource.v1alpha3.ResourcePoolStatusRequestList metadata:1@meta.v1.ListMeta items:2[]@.ResourcePoolStatusRequest
resource.v1alpha3.ResourcePoolStatusRequestSpec driver:1s poolName?*:2s limit?*:3i defaultPartitionTypeAttribute?*:4s
resource.v1alpha3.ResourcePoolStatusRequestStatus poolCount?*:6i pools?:2[]@.PoolStatus conditions?:3[]@meta.v1.Condition
resource.v1alpha3.ResourceSlice metadata:1@meta.v1.ObjectMeta spec:2@.ResourceSliceSpec
resource.v1alpha3.ResourceSliceList metadata:1@meta.v1.ListMeta items:2[]@.ResourceSlice
resource.v1alpha3.ResourceSliceSpec driver:1s pool:2@.ResourcePool nodeName?:3s nodeSelector?*:4@core.v1.NodeSelector allNodes?:5b devices:6[]@.Device perDeviceNodeSelection?*:7b sharedCounters?:8[]@.CounterSet
resource.v1alpha3.ShareableCapacityStatus name?:1s total?*:2q consumed?*:3q available?*:4q
resource.v1alpha3.ShareableSummaryStatus fullyAvailableDevices?*:1i partiallyAvailableDevices?*:2i capacity?:3[]@.ShareableCapacityStatus
resource.v1beta1.AllocatedDeviceStatus driver:1s pool:2s device:3s shareID?*:7s conditions:4[]@meta.v1.Condition data?*:5e networkData?*:6@.NetworkDeviceData
resource.v1beta1.AllocationResult devices:1@.DeviceAllocationResult nodeSelector?*:3@core.v1.NodeSelector allocationTimestamp?*:5t
resource.v1beta1.BasicDevice attributes?:1{}@.DeviceAttribute capacity?:2{}@.DeviceCapacity consumesCounters?:3[]@.DeviceCounterConsumption nodeName?*:4s nodeSelector?*:5@core.v1.NodeSelector allNodes?*:6b taints?:7[]@.DeviceTaint bindsToNode?*:8b bindingConditions?:9[]s bindingFailureConditions?:10[]s allowMultipleAllocations?*:11b nodeAllocatableResources?:14{}@.NodeAllocatableResource nodeAllocatableResourceMappings?:12{}@.NodeAllocatableResourceMapping
resource.v1beta1.CELDeviceSelector expression:1s
resource.v1beta1.CapacityRequestPolicy default*:1q validValues?:3[]q validRange?*:4@.CapacityRequestPolicyRange
resource.v1beta1.CapacityRequestPolicyRange min?*:1q max?*:2q step?*:3q
resource.v1beta1.CapacityRequirements requests?:1{}q
resource.v1beta1.Counter value:1q
resource.v1beta1.CounterSet name:1s counters?:2{}@.Counter
resource.v1beta1.Device name:1s basic?*:2@.BasicDevice
resource.v1beta1.DeviceAllocationConfiguration source:1s requests?:2[]s ^:3@.DeviceConfiguration
resource.v1beta1.DeviceAllocationResult results?:1[]@.DeviceRequestAllocationResult config?:2[]@.DeviceAllocationConfiguration
resource.v1beta1.DeviceAttribute int?*:2l bool?*:3b string?*:4s version?*:5s ints?:6[]l bools?:7[]b strings?:8[]s versions?:9[]s
resource.v1beta1.DeviceCapacity value:1q requestPolicy?*:2@.CapacityRequestPolicy
resource.v1beta1.DeviceClaim requests:1[]@.DeviceRequest constraints?:2[]@.DeviceConstraint config?:3[]@.DeviceClaimConfiguration
resource.v1beta1.DeviceClaimConfiguration requests?:1[]s ^:2@.DeviceConfiguration
resource.v1beta1.DeviceClass metadata:1@meta.v1.ObjectMeta spec:2@.DeviceClassSpec
resource.v1beta1.DeviceClassConfiguration ^:1@.DeviceConfiguration
resource.v1beta1.DeviceClassList metadata:1@meta.v1.ListMeta items:2[]@.DeviceClass
resource.v1beta1.DeviceClassSpec selectors?:1[]@.DeviceSelector config?:2[]@.DeviceClassConfiguration extendedResourceName?*:4s
resource.v1beta1.DeviceConfiguration opaque?*:1@.OpaqueDeviceConfiguration
resource.v1beta1.DeviceConstraint requests?:1[]s matchAttribute?*:2s distinctAttribute?*:3s
resource.v1beta1.DeviceCounterConsumption counterSet:1s counters?:2{}@.Counter compatibilityGroups?:3[]s
resource.v1beta1.DeviceDerivedAttribute name:1s expression:2s
resource.v1beta1.DeviceRequest name:1s deviceClassName:2s selectors?:3[]@.DeviceSelector allocationMode?:4s count?:5l adminAccess?*:6b firstAvailable?:7[]@.DeviceSubRequest tolerations?:8[]@.DeviceToleration capacity?*:9@.CapacityRequirements derivedAttributes?:10[]@.DeviceDerivedAttribute
resource.v1beta1.DeviceRequestAllocationResult request:1s driver:2s pool:3s device:4s adminAccess?*:5b tolerations?:6[]@.DeviceToleration bindingConditions?:7[]s bindingFailureConditions?:8[]s shareID?*:9s consumedCapacity?:10{}q skipNodeOperations?:11[]s
resource.v1beta1.DeviceSelector cel?*:1@.CELDeviceSelector
resource.v1beta1.DeviceSubRequest name:1s deviceClassName:2s selectors?:3[]@.DeviceSelector allocationMode?:4s count?:5l tolerations?:7[]@.DeviceToleration capacity?*:8@.CapacityRequirements derivedAttributes?:9[]@.DeviceDerivedAttribute
resource.v1beta1.DeviceTaint key:1s value?:2s effect:3s timeAdded?*:4t
resource.v1beta1.DeviceToleration key?:1s operator?:2s value?:3s effect?:4s tolerationSeconds?*:5l
resource.v1beta1.NetworkDeviceData interfaceName?:1s ips?:2[]s hardwareAddress?:3s
resource.v1beta1.NodeAllocatableMapping capacityKey?*:1s capacityMultiplier?*:2q deviceMultiplier?*:3q
resource.v1beta1.NodeAllocatableOverhead perPod?*:1q perContainer?*:2q
resource.v1beta1.NodeAllocatableResource mapping?*:3@.NodeAllocatableMapping overhead?*:4@.NodeAllocatableOverhead
resource.v1beta1.NodeAllocatableResourceMapping capacityKey?*:1s allocationMultiplier?*:2q
resource.v1beta1.OpaqueDeviceConfiguration driver:1s parameters:2e
resource.v1beta1.ResourceClaim metadata:1@meta.v1.ObjectMeta spec:2@.ResourceClaimSpec status:3@.ResourceClaimStatus
resource.v1beta1.ResourceClaimConsumerReference apiGroup?:1s resource:3s name:4s uid:5s
resource.v1beta1.ResourceClaimList metadata:1@meta.v1.ListMeta items:2[]@.ResourceClaim
resource.v1beta1.ResourceClaimSpec devices:1@.DeviceClaim
resource.v1beta1.ResourceClaimStatus allocation?*:1@.AllocationResult reservedFor?:2[]@.ResourceClaimConsumerReference devices?:4[]@.AllocatedDeviceStatus
resource.v1beta1.ResourceClaimTemplate metadata:1@meta.v1.ObjectMeta spec:2@.ResourceClaimTemplateSpec
resource.v1beta1.ResourceClaimTemplateList metadata:1@meta.v1.ListMeta items:2[]@.ResourceClaimTemplate
resource.v1beta1.ResourceClaimTemplateSpec metadata:1@meta.v1.ObjectMeta spec:2@.ResourceClaimSpec
resource.v1beta1.ResourcePool name:1s generation:2l resourceSliceCount:3l
resource.v1beta1.ResourceSlice metadata:1@meta.v1.ObjectMeta spec:2@.ResourceSliceSpec
resource.v1beta1.ResourceSliceList metadata:1@meta.v1.ListMeta items:2[]@.ResourceSlice
resource.v1beta1.ResourceSliceSpec driver:1s pool:2@.ResourcePool nodeName?:3s nodeSelector?*:4@core.v1.NodeSelector allNodes?:5b devices?:6[]@.Device perDeviceNodeSelection?*:7b sharedCounters?:8[]@.CounterSet partitionTypeAttribute?*:9s skipNodeOperations?:10[]s
resource.v1beta2.AllocatedDeviceStatus driver:1s pool:2s device:3s shareID?*:7s conditions:4[]@meta.v1.Condition data?*:5e networkData?*:6@.NetworkDeviceData
resource.v1beta2.AllocationResult devices:1@.DeviceAllocationResult nodeSelector?*:3@core.v1.NodeSelector allocationTimestamp?*:5t
resource.v1beta2.CELDeviceSelector expression:1s
resource.v1beta2.CapacityRequestPolicy default*:1q validValues?:3[]q validRange?*:4@.CapacityRequestPolicyRange
resource.v1beta2.CapacityRequestPolicyRange min?*:1q max?*:2q step?*:3q
resource.v1beta2.CapacityRequirements requests?:1{}q
resource.v1beta2.Counter value:1q
resource.v1beta2.CounterSet name:1s counters?:2{}@.Counter
resource.v1beta2.Device name:1s attributes?:2{}@.DeviceAttribute capacity?:3{}@.DeviceCapacity consumesCounters?:4[]@.DeviceCounterConsumption nodeName?*:5s nodeSelector?*:6@core.v1.NodeSelector allNodes?*:7b taints?:8[]@.DeviceTaint bindsToNode?*:9b bindingConditions?:10[]s bindingFailureConditions?:11[]s allowMultipleAllocations?*:12b nodeAllocatableResources?:14{}@.NodeAllocatableResource nodeAllocatableResourceMappings?:13{}@.NodeAllocatableResourceMapping
resource.v1beta2.DeviceAllocationConfiguration source:1s requests?:2[]s ^:3@.DeviceConfiguration
resource.v1beta2.DeviceAllocationResult results?:1[]@.DeviceRequestAllocationResult config?:2[]@.DeviceAllocationConfiguration
resource.v1beta2.DeviceAttribute int?*:2l bool?*:3b string?*:4s version?*:5s ints?:6[]l bools?:7[]b strings?:8[]s versions?:9[]s
resource.v1beta2.DeviceCapacity value:1q requestPolicy?*:2@.CapacityRequestPolicy
resource.v1beta2.DeviceClaim requests:1[]@.DeviceRequest constraints?:2[]@.DeviceConstraint config?:3[]@.DeviceClaimConfiguration
resource.v1beta2.DeviceClaimConfiguration requests?:1[]s ^:2@.DeviceConfiguration
resource.v1beta2.DeviceClass metadata:1@meta.v1.ObjectMeta spec:2@.DeviceClassSpec
resource.v1beta2.DeviceClassConfiguration ^:1@.DeviceConfiguration
resource.v1beta2.DeviceClassList metadata:1@meta.v1.ListMeta items:2[]@.DeviceClass
resource.v1beta2.DeviceClassSpec selectors?:1[]@.DeviceSelector config?:2[]@.DeviceClassConfiguration extendedResourceName?*:4s
resource.v1beta2.DeviceConfiguration opaque?*:1@.OpaqueDeviceConfiguration
resource.v1beta2.DeviceConstraint requests?:1[]s matchAttribute?*:2s distinctAttribute?*:3s
resource.v1beta2.DeviceCounterConsumption counterSet:1s counters?:2{}@.Counter compatibilityGroups?:3[]s
resource.v1beta2.DeviceDerivedAttribute name:1s expression:2s
resource.v1beta2.DeviceRequest name:1s exactly?*:2@.ExactDeviceRequest firstAvailable?:3[]@.DeviceSubRequest
resource.v1beta2.DeviceRequestAllocationResult request:1s driver:2s pool:3s device:4s adminAccess?*:5b tolerations?:6[]@.DeviceToleration bindingConditions?:7[]s bindingFailureConditions?:8[]s shareID?*:9s consumedCapacity?:10{}q skipNodeOperations?:11[]s
resource.v1beta2.DeviceSelector cel?*:1@.CELDeviceSelector
resource.v1beta2.DeviceSubRequest name:1s deviceClassName:2s selectors?:3[]@.DeviceSelector allocationMode?:4s count?:5l tolerations?:6[]@.DeviceToleration capacity?*:7@.CapacityRequirements derivedAttributes?:8[]@.DeviceDerivedAttribute
resource.v1beta2.DeviceTaint key:1s value?:2s effect:3s timeAdded?*:4t
resource.v1beta2.DeviceTaintRule metadata:1@meta.v1.ObjectMeta spec:2@.DeviceTaintRuleSpec status:3@.DeviceTaintRuleStatus
resource.v1beta2.DeviceTaintRuleList metadata:1@meta.v1.ListMeta items:2[]@.DeviceTaintRule
resource.v1beta2.DeviceTaintRuleSpec deviceSelector?*:1@.DeviceTaintSelector taint:2@.DeviceTaint
resource.v1beta2.DeviceTaintRuleStatus conditions?:1[]@meta.v1.Condition
resource.v1beta2.DeviceTaintSelector driver?*:2s pool?*:3s device?*:4s
resource.v1beta2.DeviceToleration key?:1s operator?:2s value?:3s effect?:4s tolerationSeconds?*:5l
resource.v1beta2.ExactDeviceRequest deviceClassName:1s selectors?:2[]@.DeviceSelector allocationMode?:3s count?:4l adminAccess?*:5b tolerations?:6[]@.DeviceToleration capacity?*:7@.CapacityRequirements derivedAttributes?:8[]@.DeviceDerivedAttribute
resource.v1beta2.NetworkDeviceData interfaceName?:1s ips?:2[]s hardwareAddress?:3s
resource.v1beta2.NodeAllocatableMapping capacityKey?*:1s capacityMultiplier?*:2q deviceMultiplier?*:3q
resource.v1beta2.NodeAllocatableOverhead perPod?*:1q perContainer?*:2q
resource.v1beta2.NodeAllocatableResource mapping?*:3@.NodeAllocatableMapping overhead?*:4@.NodeAllocatableOverhead
resource.v1beta2.NodeAllocatableResourceMapping capacityKey?*:1s allocationMultiplier?*:2q
resource.v1beta2.OpaqueDeviceConfiguration driver:1s parameters:2e
resource.v1beta2.ResourceClaim metadata:1@meta.v1.ObjectMeta spec:2@.ResourceClaimSpec status:3@.ResourceClaimStatus
resource.v1beta2.ResourceClaimConsumerReference apiGroup?:1s resource:3s name:4s uid:5s
resource.v1beta2.ResourceClaimList metadata:1@meta.v1.ListMeta items:2[]@.ResourceClaim
resource.v1beta2.ResourceClaimSpec devices:1@.DeviceClaim
resource.v1beta2.ResourceClaimStatus allocation?*:1@.AllocationResult reservedFor?:2[]@.ResourceClaimConsumerReference devices?:4[]@.AllocatedDeviceStatus
resource.v1beta2.ResourceClaimTemplate metadata:1@meta.v1.ObjectMeta spec:2@.ResourceClaimTemplateSpec
resource.v1beta2.ResourceClaimTemplateList metadata:1@meta.v1.ListMeta items:2[]@.ResourceClaimTemplate
resource.v1beta2.ResourceClaimTemplateSpec metadata:1@meta.v1.ObjectMeta spec:2@.ResourceClaimSpec
resource.v1beta2.ResourcePool name:1s generation:2l resourceSliceCount:3l
resource.v1beta2.ResourceSlice metadata:1@meta.v1.ObjectMeta spec:2@.ResourceSliceSpec
resource.v1beta2.ResourceSliceList metadata:1@meta.v1.ListMeta items:2[]@.ResourceSlice
resource.v1beta2.ResourceSliceSpec driver:1s pool:2@.ResourcePool nodeName?*:3s nodeSelector?*:4@core.v1.NodeSelector allNodes?*:5b devices?:6[]@.Device perDeviceNodeSelection?*:7b sharedCounters?:8[]@.CounterSet partitionTypeAttribute?*:9s skipNodeOperations?:10[]s
scheduling.v1.PriorityClass metadata:1@meta.v1.ObjectMeta value:2i globalDefault?:3b description?:4s preemptionPolicy?*:5s
scheduling.v1.PriorityClassList metadata:1@meta.v1.ListMeta items:2[]@.PriorityClass
scheduling.v1alpha1.BasicSchedulingPolicy
scheduling.v1alpha1.GangSchedulingPolicy minCount:1i
scheduling.v1alpha1.PodGroup name:1s policy:3@.PodGroupPolicy
scheduling.v1alpha1.PodGroupPolicy basic?*:2@.BasicSchedulingPolicy gang?*:3@.GangSchedulingPolicy
scheduling.v1alpha1.PriorityClass metadata:1@meta.v1.ObjectMeta value:2i globalDefault?:3b description?:4s preemptionPolicy?*:5s
scheduling.v1alpha1.PriorityClassList metadata:1@meta.v1.ListMeta items:2[]@.PriorityClass
scheduling.v1alpha1.TypedLocalObjectReference apiGroup?:1s kind:2s name:3s
scheduling.v1alpha1.Workload metadata:1@meta.v1.ObjectMeta spec:2@.WorkloadSpec
scheduling.v1alpha1.WorkloadList metadata:1@meta.v1.ListMeta items:2[]@.Workload
scheduling.v1alpha1.WorkloadSpec controllerRef?*:1@.TypedLocalObjectReference podGroups:2[]@.PodGroup
scheduling.v1alpha2.BasicSchedulingPolicy
scheduling.v1alpha2.GangSchedulingPolicy minCount:1i
scheduling.v1alpha2.PodGroup metadata:1@meta.v1.ObjectMeta spec:2@.PodGroupSpec status:3@.PodGroupStatus
scheduling.v1alpha2.PodGroupList metadata:1@meta.v1.ListMeta items:2[]@.PodGroup
scheduling.v1alpha2.PodGroupResourceClaim name:1s resourceClaimName?*:2s resourceClaimTemplateName?*:3s
scheduling.v1alpha2.PodGroupResourceClaimStatus name:1s resourceClaimName?*:2s
scheduling.v1alpha2.PodGroupSchedulingConstraints topology?:1[]@.TopologyConstraint
scheduling.v1alpha2.PodGroupSchedulingPolicy basic?*:1@.BasicSchedulingPolicy gang?*:2@.GangSchedulingPolicy
scheduling.v1alpha2.PodGroupSpec podGroupTemplateRef*:1@.PodGroupTemplateReference schedulingPolicy:2@.PodGroupSchedulingPolicy schedulingConstraints?*:3@.PodGroupSchedulingConstraints resourceClaims?:4[]@.PodGroupResourceClaim disruptionMode?*:5s priorityClassName?:6s priority?*:7i
scheduling.v1alpha2.PodGroupStatus conditions?:1[]@meta.v1.Condition resourceClaimStatuses?:2[]@.PodGroupResourceClaimStatus
scheduling.v1alpha2.PodGroupTemplate name:1s schedulingPolicy:2@.PodGroupSchedulingPolicy schedulingConstraints*:3@.PodGroupSchedulingConstraints resourceClaims?:4[]@.PodGroupResourceClaim disruptionMode?*:5s priorityClassName?:6s priority?*:7i
scheduling.v1alpha2.PodGroupTemplateReference workload*:1@.WorkloadPodGroupTemplateReference
scheduling.v1alpha2.TopologyConstraint key:1s
scheduling.v1alpha2.TypedLocalObjectReference apiGroup?:1s kind:2s name:3s
scheduling.v1alpha2.Workload metadata:1@meta.v1.ObjectMeta spec:2@.WorkloadSpec
scheduling.v1alpha2.WorkloadList metadata:1@meta.v1.ListMeta items:2[]@.Workload
scheduling.v1alpha2.WorkloadPodGroupTemplateReference workloadName:1s podGroupTemplateName:2s
scheduling.v1alpha2.WorkloadSpec controllerRef?*:1@.TypedLocalObjectReference podGroupTemplates:2[]@.PodGroupTemplate
scheduling.v1alpha3.AllCompositeDisruptionMode
scheduling.v1alpha3.AllDisruptionMode
scheduling.v1alpha3.BasicSchedulingPolicy
scheduling.v1alpha3.CompositeBasicSchedulingPolicy
scheduling.v1alpha3.CompositeDisruptionMode single?*:1@.SingleCompositeDisruptionMode all?*:2@.AllCompositeDisruptionMode
scheduling.v1alpha3.CompositeGangSchedulingPolicy minGroupCount:1i
scheduling.v1alpha3.CompositePodGroup metadata:1@meta.v1.ObjectMeta spec:2@.CompositePodGroupSpec status:3@.CompositePodGroupStatus
scheduling.v1alpha3.CompositePodGroupList metadata:1@meta.v1.ListMeta items:2[]@.CompositePodGroup
scheduling.v1alpha3.CompositePodGroupSchedulingConstraints topology?:1[]@.TopologyConstraint
scheduling.v1alpha3.CompositePodGroupSchedulingPolicy basic?*:1@.CompositeBasicSchedulingPolicy gang?*:2@.CompositeGangSchedulingPolicy
scheduling.v1alpha3.CompositePodGroupSpec parentCompositePodGroupName?*:1s workloadRef*:2@.WorkloadReference schedulingPolicy:3@.CompositePodGroupSchedulingPolicy schedulingConstraints?*:4@.CompositePodGroupSchedulingConstraints disruptionMode?*:5@.CompositeDisruptionMode priorityClassName?:6s priority?*:7i preemptionPolicy?*:8s
scheduling.v1alpha3.CompositePodGroupStatus conditions?:1[]@meta.v1.Condition
scheduling.v1alpha3.CompositePodGroupTemplate name:1s schedulingPolicy:2@.CompositePodGroupSchedulingPolicy schedulingConstraints?*:3@.CompositePodGroupSchedulingConstraints disruptionMode?*:4@.CompositeDisruptionMode priorityClassName?:5s priority?*:6i preemptionPolicy?*:7s podGroupTemplates?:8[]@.PodGroupTemplate compositePodGroupTemplates?:9[]@.CompositePodGroupTemplate
scheduling.v1alpha3.DisruptionMode single?*:1@.SingleDisruptionMode all?*:2@.AllDisruptionMode
scheduling.v1alpha3.GangSchedulingPolicy minCount:1i
scheduling.v1alpha3.PodGroup metadata:1@meta.v1.ObjectMeta spec:2@.PodGroupSpec status:3@.PodGroupStatus
scheduling.v1alpha3.PodGroupList metadata:1@meta.v1.ListMeta items:2[]@.PodGroup
scheduling.v1alpha3.PodGroupResourceClaim name:1s resourceClaimName?*:2s resourceClaimTemplateName?*:3s
scheduling.v1alpha3.PodGroupResourceClaimStatus name:1s resourceClaimName?*:2s
scheduling.v1alpha3.PodGroupSchedulingConstraints topology?:1[]@.TopologyConstraint
scheduling.v1alpha3.PodGroupSchedulingPolicy basic?*:1@.BasicSchedulingPolicy gang?*:2@.GangSchedulingPolicy
scheduling.v1alpha3.PodGroupSpec parentCompositePodGroupName?*:1s workloadRef?*:2@.WorkloadReference schedulingPolicy:3@.PodGroupSchedulingPolicy schedulingConstraints?*:4@.PodGroupSchedulingConstraints resourceClaims?:5[]@.PodGroupResourceClaim disruptionMode?*:6@.DisruptionMode priorityClassName?:7s priority?*:8i preemptionPolicy?*:9s
scheduling.v1alpha3.PodGroupStatus conditions?:1[]@meta.v1.Condition resourceClaimStatuses?:2[]@.PodGroupResourceClaimStatus
scheduling.v1alpha3.PodGroupTemplate name:1s schedulingPolicy:2@.PodGroupSchedulingPolicy schedulingConstraints*:3@.PodGroupSchedulingConstraints resourceClaims?:4[]@.PodGroupResourceClaim disruptionMode?*:5@.DisruptionMode priorityClassName?:6s priority?*:7i preemptionPolicy?*:8s
scheduling.v1alpha3.SingleCompositeDisruptionMode
scheduling.v1alpha3.SingleDisruptionMode
scheduling.v1alpha3.TopologyConstraint key:1s
scheduling.v1alpha3.TypedLocalObjectReference apiGroup?:1s kind:2s name:3s
scheduling.v1alpha3.Workload metadata:1@meta.v1.ObjectMeta spec:2@.WorkloadSpec
scheduling.v1alpha3.WorkloadList metadata:1@meta.v1.ListMeta items:2[]@.Workload
scheduling.v1alpha3.WorkloadPodGroupAllDisruptionMode
scheduling.v1alpha3.WorkloadPodGroupBasicSchedulingPolicy
scheduling.v1alpha3.WorkloadPodGroupDisruptionMode single?*:1@.WorkloadPodGroupSingleDisruptionMode all?*:2@.WorkloadPodGroupAllDisruptionMode
scheduling.v1alpha3.WorkloadPodGroupGangSchedulingPolicy minCount?*:1i
scheduling.v1alpha3.WorkloadPodGroupResourceClaim name:1s resourceClaimName?*:2s resourceClaimTemplateName?*:3s
scheduling.v1alpha3.WorkloadPodGroupSchedulingConstraints topology?:1[]@.TopologyConstraint
scheduling.v1alpha3.WorkloadPodGroupSchedulingPolicy basic?*:1@.WorkloadPodGroupBasicSchedulingPolicy gang?*:2@.WorkloadPodGroupGangSchedulingPolicy
scheduling.v1alpha3.WorkloadPodGroupSingleDisruptionMode
scheduling.v1alpha3.WorkloadReference workloadName:1s templateName:2s
scheduling.v1alpha3.WorkloadSpec controllerRef?*:1@.TypedLocalObjectReference podGroupTemplates:2[]@.PodGroupTemplate compositePodGroupTemplates?:3[]@.CompositePodGroupTemplate
scheduling.v1beta1.AllCompositeDisruptionMode
scheduling.v1beta1.AllDisruptionMode
scheduling.v1beta1.BasicSchedulingPolicy
scheduling.v1beta1.CompositeBasicSchedulingPolicy
scheduling.v1beta1.CompositeDisruptionMode single?*:1@.SingleCompositeDisruptionMode all?*:2@.AllCompositeDisruptionMode
scheduling.v1beta1.CompositeGangSchedulingPolicy minGroupCount:1i
scheduling.v1beta1.CompositePodGroupSchedulingConstraints topology?:1[]@.TopologyConstraint
scheduling.v1beta1.CompositePodGroupSchedulingPolicy basic?*:1@.CompositeBasicSchedulingPolicy gang?*:2@.CompositeGangSchedulingPolicy
scheduling.v1beta1.CompositePodGroupTemplate name:1s schedulingPolicy:2@.CompositePodGroupSchedulingPolicy schedulingConstraints?*:3@.CompositePodGroupSchedulingConstraints disruptionMode?*:4@.CompositeDisruptionMode priorityClassName?:5s priority?*:6i preemptionPolicy?*:7s podGroupTemplates?:8[]@.PodGroupTemplate compositePodGroupTemplates?:9[]@.CompositePodGroupTemplate
scheduling.v1beta1.DisruptionMode single?*:1@.SingleDisruptionMode all?*:2@.AllDisruptionMode
scheduling.v1beta1.GangSchedulingPolicy minCount:1i
scheduling.v1beta1.PodGroup metadata:1@meta.v1.ObjectMeta spec:2@.PodGroupSpec status:3@.PodGroupStatus
scheduling.v1beta1.PodGroupList metadata:1@meta.v1.ListMeta items:2[]@.PodGroup
scheduling.v1beta1.PodGroupResourceClaim name:1s resourceClaimName?*:2s resourceClaimTemplateName?*:3s
scheduling.v1beta1.PodGroupResourceClaimStatus name:1s resourceClaimName?*:2s
scheduling.v1beta1.PodGroupSchedulingConstraints topology?:1[]@.TopologyConstraint
scheduling.v1beta1.PodGroupSchedulingPolicy basic?*:1@.BasicSchedulingPolicy gang?*:2@.GangSchedulingPolicy
scheduling.v1beta1.PodGroupSpec parentCompositePodGroupName?*:1s workloadRef?*:2@.WorkloadReference schedulingPolicy:3@.PodGroupSchedulingPolicy schedulingConstraints?*:4@.PodGroupSchedulingConstraints resourceClaims?:5[]@.PodGroupResourceClaim disruptionMode?*:6@.DisruptionMode priorityClassName?:7s priority?*:8i preemptionPolicy?*:9s
scheduling.v1beta1.PodGroupStatus conditions?:1[]@meta.v1.Condition resourceClaimStatuses?:2[]@.PodGroupResourceClaimStatus
scheduling.v1beta1.PodGroupTemplate name:1s schedulingPolicy:2@.PodGroupSchedulingPolicy schedulingConstraints*:3@.PodGroupSchedulingConstraints resourceClaims?:4[]@.PodGroupResourceClaim disruptionMode?*:5@.DisruptionMode priorityClassName?:6s priority?*:7i preemptionPolicy?*:8s
scheduling.v1beta1.PriorityClass metadata:1@meta.v1.ObjectMeta value:2i globalDefault?:3b description?:4s preemptionPolicy?*:5s
scheduling.v1beta1.PriorityClassList metadata:1@meta.v1.ListMeta items:2[]@.PriorityClass
scheduling.v1beta1.SingleCompositeDisruptionMode
scheduling.v1beta1.SingleDisruptionMode
scheduling.v1beta1.TopologyConstraint key:1s
scheduling.v1beta1.TypedLocalObjectReference apiGroup?:1s kind:2s name:3s
scheduling.v1beta1.Workload metadata:1@meta.v1.ObjectMeta spec:2@.WorkloadSpec
scheduling.v1beta1.WorkloadList metadata:1@meta.v1.ListMeta items:2[]@.Workload
scheduling.v1beta1.WorkloadReference workloadName:1s templateName:2s
scheduling.v1beta1.WorkloadSpec controllerRef?*:1@.TypedLocalObjectReference podGroupTemplates:2[]@.PodGroupTemplate compositePodGroupTemplates?:3[]@.CompositePodGroupTemplate
storage.v1.CSIDriver metadata:1@meta.v1.ObjectMeta spec:2@.CSIDriverSpec
storage.v1.CSIDriverList metadata:1@meta.v1.ListMeta items:2[]@.CSIDriver
storage.v1.CSIDriverSpec attachRequired?*:1b podInfoOnMount?*:2b volumeLifecycleModes?:3[]s storageCapacity?*:4b fsGroupPolicy?*:5s tokenRequests?:6[]@.TokenRequest requiresRepublish?*:7b seLinuxMount?*:8b nodeAllocatableUpdatePeriodSeconds?*:9l serviceAccountTokenInSecrets?*:10b preventPodSchedulingIfMissing?*:11b
storage.v1.CSINode metadata:1@meta.v1.ObjectMeta spec:2@.CSINodeSpec status:3@.CSINodeStatus
storage.v1.CSINodeDriver name:1s nodeID:2s topologyKeys:3[]s allocatable?*:4@.VolumeNodeResources
storage.v1.CSINodeList metadata:1@meta.v1.ListMeta items:2[]@.CSINode
storage.v1.CSINodeSpec drivers:1[]@.CSINodeDriver
storage.v1.CSINodeStatus storageHealth?:1[]@.StorageHealth
storage.v1.CSIStorageCapacity metadata:1@meta.v1.ObjectMeta nodeTopology?*:2@meta.v1.LabelSelector storageClassName:3s capacity?*:4q maximumVolumeSize?*:5q
storage.v1.CSIStorageCapacityList metadata:1@meta.v1.ListMeta items:2[]@.CSIStorageCapacity
storage.v1.StorageClass metadata:1@meta.v1.ObjectMeta provisioner:2s parameters?:3{}s reclaimPolicy?*:4s mountOptions?:5[]s allowVolumeExpansion?*:6b volumeBindingMode?*:7s allowedTopologies?:8[]@core.v1.TopologySelectorTerm
storage.v1.StorageClassList metadata:1@meta.v1.ListMeta items:2[]@.StorageClass
storage.v1.StorageHealth name:1s healthConditions?:2[]@.StorageHealthCondition
storage.v1.StorageHealthCondition status:1s reason:2s message?:3s accessMode?*:4s volumeMode?*:5s lastTransitionTime:6t
storage.v1.TokenRequest audience:1s expirationSeconds?*:2l
storage.v1.VolumeAttachment metadata:1@meta.v1.ObjectMeta spec:2@.VolumeAttachmentSpec status:3@.VolumeAttachmentStatus
storage.v1.VolumeAttachmentList metadata:1@meta.v1.ListMeta items:2[]@.VolumeAttachment
storage.v1.VolumeAttachmentSource persistentVolumeName?*:1s inlineVolumeSpec?*:2@core.v1.PersistentVolumeSpec
storage.v1.VolumeAttachmentSpec attacher:1s source:2@.VolumeAttachmentSource nodeName:3s
storage.v1.VolumeAttachmentStatus attached:1b attachmentMetadata?:2{}s attachError?*:3@.VolumeError detachError?*:4@.VolumeError
storage.v1.VolumeAttributesClass metadata:1@meta.v1.ObjectMeta driverName:2s parameters?:3{}s
storage.v1.VolumeAttributesClassList metadata:1@meta.v1.ListMeta items:2[]@.VolumeAttributesClass
storage.v1.VolumeError time:1t message?:2s errorCode?*:3i
storage.v1.VolumeNodeResources count?*:1i
storage.v1alpha1.CSIStorageCapacity metadata:1@meta.v1.ObjectMeta nodeTopology?*:2@meta.v1.LabelSelector storageClassName:3s capacity?*:4q maximumVolumeSize?*:5q
storage.v1alpha1.CSIStorageCapacityList metadata:1@meta.v1.ListMeta items:2[]@.CSIStorageCapacity
storage.v1alpha1.VolumeAttachment metadata:1@meta.v1.ObjectMeta spec:2@.VolumeAttachmentSpec status:3@.VolumeAttachmentStatus
storage.v1alpha1.VolumeAttachmentList metadata:1@meta.v1.ListMeta items:2[]@.VolumeAttachment
storage.v1alpha1.VolumeAttachmentSource persistentVolumeName?*:1s inlineVolumeSpec?*:2@core.v1.PersistentVolumeSpec
storage.v1alpha1.VolumeAttachmentSpec attacher:1s source:2@.VolumeAttachmentSource nodeName:3s
storage.v1alpha1.VolumeAttachmentStatus attached:1b attachmentMetadata?:2{}s attachError?*:3@.VolumeError detachError?*:4@.VolumeError
storage.v1alpha1.VolumeAttributesClass metadata:1@meta.v1.ObjectMeta driverName:2s parameters?:3{}s
storage.v1alpha1.VolumeAttributesClassList metadata:1@meta.v1.ListMeta items:2[]@.VolumeAttributesClass
storage.v1alpha1.VolumeError time:1t message?:2s errorCode?*:3i
storage.v1beta1.CSIDriver metadata:1@meta.v1.ObjectMeta spec:2@.CSIDriverSpec
storage.v1beta1.CSIDriverList metadata:1@meta.v1.ListMeta items:2[]@.CSIDriver
storage.v1beta1.CSIDriverSpec attachRequired?*:1b podInfoOnMount?*:2b volumeLifecycleModes?:3[]s storageCapacity?*:4b fsGroupPolicy?*:5s tokenRequests?:6[]@.TokenRequest requiresRepublish?*:7b seLinuxMount?*:8b nodeAllocatableUpdatePeriodSeconds?*:9l serviceAccountTokenInSecrets?*:10b preventPodSchedulingIfMissing?*:11b
storage.v1beta1.CSINode metadata:1@meta.v1.ObjectMeta spec:2@.CSINodeSpec status:3@.CSINodeStatus
storage.v1beta1.CSINodeDriver name:1s nodeID:2s topologyKeys:3[]s allocatable?*:4@.VolumeNodeResources
storage.v1beta1.CSINodeList metadata:1@meta.v1.ListMeta items:2[]@.CSINode
storage.v1beta1.CSINodeSpec drivers:1[]@.CSINodeDriver
storage.v1beta1.CSINodeStatus storageHealth?:1[]@.StorageHealth
storage.v1beta1.CSIStorageCapacity metadata:1@meta.v1.ObjectMeta nodeTopology?*:2@meta.v1.LabelSelector storageClassName:3s capacity?*:4q maximumVolumeSize?*:5q
storage.v1beta1.CSIStorageCapacityList metadata:1@meta.v1.ListMeta items:2[]@.CSIStorageCapacity
storage.v1beta1.StorageClass metadata:1@meta.v1.ObjectMeta provisioner:2s parameters?:3{}s reclaimPolicy?*:4s mountOptions?:5[]s allowVolumeExpansion?*:6b volumeBindingMode?*:7s allowedTopologies?:8[]@core.v1.TopologySelectorTerm
storage.v1beta1.StorageClassList metadata:1@meta.v1.ListMeta items:2[]@.StorageClass
storage.v1beta1.StorageHealth name:1s healthConditions?:2[]@.StorageHealthCondition
storage.v1beta1.StorageHealthCondition status:1s reason:2s message?:3s accessMode?*:4s volumeMode?*:5s lastTransitionTime:6t
storage.v1beta1.TokenRequest audience:1s expirationSeconds?*:2l
storage.v1beta1.VolumeAttachment metadata:1@meta.v1.ObjectMeta spec:2@.VolumeAttachmentSpec status:3@.VolumeAttachmentStatus
storage.v1beta1.VolumeAttachmentList metadata:1@meta.v1.ListMeta items:2[]@.VolumeAttachment
storage.v1beta1.VolumeAttachmentSource persistentVolumeName?*:1s inlineVolumeSpec?*:2@core.v1.PersistentVolumeSpec
storage.v1beta1.VolumeAttachmentSpec attacher:1s source:2@.VolumeAttachmentSource nodeName:3s
storage.v1beta1.VolumeAttachmentStatus attached:1b attachmentMetadata?:2{}s attachError?*:3@.VolumeError detachError?*:4@.VolumeError
storage.v1beta1.VolumeAttributesClass metadata:1@meta.v1.ObjectMeta driverName:2s parameters?:3{}s
storage.v1beta1.VolumeAttributesClassList metadata:1@meta.v1.ListMeta items:2[]@.VolumeAttributesClass
storage.v1beta1.VolumeError time:1t message?:2s errorCode?*:3i
storage.v1beta1.VolumeNodeResources count?*:1i
storagemigration.v1.StorageVersionMigration metadata:1@meta.v1.ObjectMeta spec:2@.StorageVersionMigrationSpec status:3@.StorageVersionMigrationStatus
storagemigration.v1.StorageVersionMigrationList metadata:1@meta.v1.ListMeta items:2[]@.StorageVersionMigration
storagemigration.v1.StorageVersionMigrationSpec resource:1@meta.v1.GroupResource
storagemigration.v1.StorageVersionMigrationStatus conditions?:1[]@meta.v1.Condition resourceVersion?:2s
storagemigration.v1alpha1.GroupVersionResource group?:1s version?:2s resource?:3s
storagemigration.v1alpha1.MigrationCondition type:1s status:2s lastUpdateTime:3t reason?:4s message?:5s
storagemigration.v1alpha1.StorageVersionMigration metadata:1@meta.v1.ObjectMeta spec:2@.StorageVersionMigrationSpec status:3@.StorageVersionMigrationStatus
storagemigration.v1alpha1.StorageVersionMigrationList metadata:1@meta.v1.ListMeta items:2[]@.StorageVersionMigration
storagemigration.v1alpha1.StorageVersionMigrationSpec resource:1@.GroupVersionResource continueToken?:2s
storagemigration.v1alpha1.StorageVersionMigrationStatus conditions?:1[]@.MigrationCondition resourceVersion?:2s
storagemigration.v1beta1.StorageVersionMigration metadata:1@meta.v1.ObjectMeta spec:2@.StorageVersionMigrationSpec status:3@.StorageVersionMigrationStatus
storagemigration.v1beta1.StorageVersionMigrationList metadata:1@meta.v1.ListMeta items:2[]@.StorageVersionMigration
storagemigration.v1beta1.StorageVersionMigrationSpec resource:1@meta.v1.GroupResource
storagemigration.v1beta1.StorageVersionMigrationStatus conditions?:1[]@meta.v1.Condition resourceVersion?:2s`;
