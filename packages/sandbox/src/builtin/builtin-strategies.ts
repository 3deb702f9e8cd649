import type { Strategy } from "../resource/strategy.ts";
import { builtinStrategy } from "./builtin-strategy.ts";
import { apiServiceStrategy } from "./cluster/api-service.ts";
import { flowSchemaStrategy, priorityLevelStrategy } from "./cluster/flow-control.ts";
import { leaseStrategy } from "./cluster/lease.ts";
import { limitRangeStrategy, resourceQuotaStrategy } from "./cluster/limit-range.ts";
import { namespaceStrategy } from "./cluster/namespace.ts";
import { nodeStrategy } from "./cluster/node.ts";
import { priorityClassStrategy } from "./cluster/priority-class.ts";
import { resourceClaimStrategy, resourceClaimTemplateStrategy } from "./cluster/resource-claim.ts";
import { signingRequestStrategy } from "./cluster/signing-request.ts";
import { configMapStrategy } from "./config/config-map.ts";
import { secretStrategy } from "./config/secret.ts";
import { eventStrategy, newEventStrategy } from "./events/event.ts";
import { cronJobStrategy, jobStrategy } from "./job/job-strategy.ts";
import { endpointSliceStrategy } from "./network/endpoint-slice.ts";
import { endpointsStrategy } from "./network/endpoints.ts";
import { ingressClassStrategy, ingressStrategy } from "./network/ingress.ts";
import { ipAddressStrategy } from "./network/ip-address-claim.ts";
import { networkPolicyStrategy } from "./network/network-policy.ts";
import { podStrategy, podTemplateStrategy } from "./pod/pod-strategy.ts";
import {
  clusterRoleBindingStrategy,
  clusterRoleStrategy,
  roleBindingStrategy,
  roleStrategy,
} from "./rbac/rbac-strategies.ts";
import { autoscalerStrategy, autoscalerV1Strategy } from "./scaling/autoscaler.ts";
import { disruptionBudgetStrategy } from "./scaling/disruption-budget.ts";
import { serviceStrategy } from "./service/service-strategy.ts";
import { claimStrategy } from "./storage/claim-strategy.ts";
import { volumeAttachmentStrategy, volumeStrategy } from "./storage/persistent-volume.ts";
import { csiDriverStrategy, storageClassStrategy } from "./storage/storage-class.ts";
import {
  mutatingPolicyBindingStrategy,
  mutatingPolicyStrategy,
  mutatingWebhookStrategy,
  validatingPolicyBindingStrategy,
  validatingPolicyStrategy,
  validatingWebhookStrategy,
} from "./webhook/webhook-configurations.ts";
import { daemonSetStrategy } from "./workload/daemon-set.ts";
import { deploymentStrategy } from "./workload/deployment.ts";
import { replicaSetStrategy, replicationControllerStrategy } from "./workload/replica-set.ts";
import { controllerRevisionStrategy, statefulSetStrategy } from "./workload/stateful-set.ts";

/** Of kinds that need nothing special. */
const withStatus: Strategy = builtinStrategy({});
const withoutStatus: Strategy = builtinStrategy({ initialStatus: "none" });
const withGenerations: Strategy = builtinStrategy({ countsGenerations: true });
const withoutStatusWithGenerations: Strategy = builtinStrategy({
  initialStatus: "none",
  countsGenerations: true,
});

const byKind: Readonly<Record<string, Strategy>> = {
  "/ConfigMap": configMapStrategy,
  "/Endpoints": endpointsStrategy,
  "/Event": eventStrategy,
  "/LimitRange": limitRangeStrategy,
  "/Namespace": namespaceStrategy,
  "/Node": nodeStrategy,
  "/PersistentVolume": volumeStrategy,
  "/PersistentVolumeClaim": claimStrategy,
  "/Pod": podStrategy,
  "/PodTemplate": podTemplateStrategy,
  "/ReplicationController": replicationControllerStrategy,
  "/ResourceQuota": resourceQuotaStrategy,
  "/Secret": secretStrategy,
  "/Service": serviceStrategy,
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": mutatingPolicyStrategy,
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": mutatingPolicyBindingStrategy,
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": mutatingWebhookStrategy,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": validatingPolicyStrategy,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": validatingPolicyBindingStrategy,
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": validatingWebhookStrategy,
  "apiextensions.k8s.io/CustomResourceDefinition": withGenerations,
  "apps/ControllerRevision": controllerRevisionStrategy,
  "apps/DaemonSet": daemonSetStrategy,
  "apps/Deployment": deploymentStrategy,
  "apps/ReplicaSet": replicaSetStrategy,
  "apps/StatefulSet": statefulSetStrategy,
  "autoscaling/HorizontalPodAutoscaler": autoscalerStrategy,
  "autoscaling/v1/HorizontalPodAutoscaler": autoscalerV1Strategy,
  "batch/CronJob": cronJobStrategy,
  "batch/Job": jobStrategy,
  "certificates.k8s.io/CertificateSigningRequest": signingRequestStrategy,
  "coordination.k8s.io/Lease": leaseStrategy,
  "discovery.k8s.io/EndpointSlice": endpointSliceStrategy,
  "events.k8s.io/Event": newEventStrategy,
  "apiregistration.k8s.io/APIService": apiServiceStrategy,
  "flowcontrol.apiserver.k8s.io/FlowSchema": flowSchemaStrategy,
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": priorityLevelStrategy,
  "networking.k8s.io/IPAddress": ipAddressStrategy,
  "networking.k8s.io/Ingress": ingressStrategy,
  "networking.k8s.io/IngressClass": ingressClassStrategy,
  "networking.k8s.io/NetworkPolicy": networkPolicyStrategy,
  "policy/PodDisruptionBudget": disruptionBudgetStrategy,
  "rbac.authorization.k8s.io/ClusterRole": clusterRoleStrategy,
  "rbac.authorization.k8s.io/ClusterRoleBinding": clusterRoleBindingStrategy,
  "rbac.authorization.k8s.io/Role": roleStrategy,
  "rbac.authorization.k8s.io/RoleBinding": roleBindingStrategy,
  "resource.k8s.io/DeviceClass": withoutStatusWithGenerations,
  "resource.k8s.io/ResourceClaim": resourceClaimStrategy,
  "resource.k8s.io/ResourceClaimTemplate": resourceClaimTemplateStrategy,
  "resource.k8s.io/ResourceSlice": withoutStatusWithGenerations,
  "scheduling.k8s.io/PriorityClass": priorityClassStrategy,
  "storage.k8s.io/CSIDriver": csiDriverStrategy,
  "storage.k8s.io/StorageClass": storageClassStrategy,
  "storage.k8s.io/VolumeAttachment": volumeAttachmentStrategy,
};

/** The strategy of a built-in kind at a version; of kinds not named above, the common one. */
export function builtinStrategyOf(
  group: string,
  version: string,
  kind: string,
  hasStatus: boolean,
): Strategy {
  const special = byKind[`${group}/${version}/${kind}`] ?? byKind[`${group}/${kind}`];
  return special ?? (hasStatus ? withStatus : withoutStatus);
}
