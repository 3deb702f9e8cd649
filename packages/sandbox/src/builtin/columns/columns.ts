import type { TableColumn } from "../../resource/served-resource.ts";
import {
  bindingColumns,
  configMapColumns,
  resourceQuotaColumns,
  secretColumns,
  serviceAccountColumns,
} from "./access-columns.ts";
import {
  mutatingPolicyColumns,
  policyBindingColumns,
  validatingPolicyColumns,
  webhookColumns,
} from "./admission-columns.ts";
import {
  apiServiceColumns,
  componentStatusColumns,
  definitionColumns,
  leaseColumns,
  namespaceColumns,
  nodeColumns,
  priorityClassColumns,
  resourceClaimColumns,
  resourceSliceColumns,
  runtimeClassColumns,
  signingRequestColumns,
} from "./cluster-columns.ts";
import { ageColumn, columnsFor, createdAtColumn, nameColumn } from "./column.ts";
import { eventColumns } from "./event-columns.ts";
import { flowSchemaColumns, priorityLevelColumns } from "./flow-columns.ts";
import { cronJobColumns, jobColumns } from "./job-columns.ts";
import {
  endpointSliceColumns,
  endpointsColumns,
  ingressClassColumns,
  ingressColumns,
  ipAddressColumns,
  networkPolicyColumns,
  serviceCidrColumns,
  serviceColumns,
} from "./network-columns.ts";
import { podColumns } from "./pod-columns.ts";
import { autoscalerColumns, disruptionBudgetColumns } from "./scaling-columns.ts";
import {
  attachmentColumns,
  attributesClassColumns,
  claimColumns,
  csiDriverColumns,
  csiNodeColumns,
  storageClassColumns,
  volumeColumns,
} from "./storage-columns.ts";
import {
  controllerRevisionColumns,
  daemonSetColumns,
  deploymentColumns,
  podTemplateColumns,
  replicaSetColumns,
  replicationControllerColumns,
  statefulSetColumns,
} from "./workload-columns.ts";

const otherColumns = columnsFor([nameColumn, createdAtColumn]);

const byKind: Readonly<Record<string, readonly TableColumn[]>> = {
  "/ComponentStatus": columnsFor(componentStatusColumns),
  "/ConfigMap": columnsFor(configMapColumns),
  "/Endpoints": columnsFor(endpointsColumns),
  "/Event": columnsFor(eventColumns),
  "/Namespace": columnsFor(namespaceColumns),
  "/Node": columnsFor(nodeColumns),
  "/PersistentVolume": columnsFor(volumeColumns),
  "/PersistentVolumeClaim": columnsFor(claimColumns),
  "/Pod": columnsFor(podColumns),
  "/PodTemplate": columnsFor(podTemplateColumns),
  "/ReplicationController": columnsFor(replicationControllerColumns),
  "/ResourceQuota": columnsFor(resourceQuotaColumns),
  "/Secret": columnsFor(secretColumns),
  "/Service": columnsFor(serviceColumns),
  "/ServiceAccount": columnsFor(serviceAccountColumns),
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": columnsFor(mutatingPolicyColumns),
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": columnsFor(policyBindingColumns),
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": columnsFor(webhookColumns),
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": columnsFor(validatingPolicyColumns),
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": columnsFor(policyBindingColumns),
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": columnsFor(webhookColumns),
  "apiextensions.k8s.io/CustomResourceDefinition": columnsFor(definitionColumns),
  "apiregistration.k8s.io/APIService": columnsFor(apiServiceColumns),
  "apps/ControllerRevision": columnsFor(controllerRevisionColumns),
  "apps/DaemonSet": columnsFor(daemonSetColumns),
  "apps/Deployment": columnsFor(deploymentColumns),
  "apps/ReplicaSet": columnsFor(replicaSetColumns),
  "apps/StatefulSet": columnsFor(statefulSetColumns),
  "autoscaling/HorizontalPodAutoscaler": columnsFor(autoscalerColumns),
  "batch/CronJob": columnsFor(cronJobColumns),
  "batch/Job": columnsFor(jobColumns),
  "certificates.k8s.io/CertificateSigningRequest": columnsFor(signingRequestColumns),
  "coordination.k8s.io/Lease": columnsFor(leaseColumns),
  "discovery.k8s.io/EndpointSlice": columnsFor(endpointSliceColumns),
  "events.k8s.io/Event": columnsFor(eventColumns),
  "flowcontrol.apiserver.k8s.io/FlowSchema": columnsFor(flowSchemaColumns),
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": columnsFor(priorityLevelColumns),
  "networking.k8s.io/IPAddress": columnsFor(ipAddressColumns),
  "networking.k8s.io/Ingress": columnsFor(ingressColumns),
  "networking.k8s.io/IngressClass": columnsFor(ingressClassColumns),
  "networking.k8s.io/NetworkPolicy": columnsFor(networkPolicyColumns),
  "networking.k8s.io/ServiceCIDR": columnsFor(serviceCidrColumns),
  "node.k8s.io/RuntimeClass": columnsFor(runtimeClassColumns),
  "policy/PodDisruptionBudget": columnsFor(disruptionBudgetColumns),
  "rbac.authorization.k8s.io/ClusterRoleBinding": columnsFor(bindingColumns),
  "rbac.authorization.k8s.io/RoleBinding": columnsFor(bindingColumns),
  "resource.k8s.io/DeviceClass": columnsFor([nameColumn, ageColumn]),
  "resource.k8s.io/ResourceClaim": columnsFor(resourceClaimColumns),
  "resource.k8s.io/ResourceClaimTemplate": columnsFor([nameColumn, ageColumn]),
  "resource.k8s.io/ResourceSlice": columnsFor(resourceSliceColumns),
  "scheduling.k8s.io/PriorityClass": columnsFor(priorityClassColumns),
  "storage.k8s.io/CSIDriver": columnsFor(csiDriverColumns),
  "storage.k8s.io/CSINode": columnsFor(csiNodeColumns),
  "storage.k8s.io/StorageClass": columnsFor(storageClassColumns),
  "storage.k8s.io/VolumeAttachment": columnsFor(attachmentColumns),
  "storage.k8s.io/VolumeAttributesClass": columnsFor(attributesClassColumns),
};

/** What a table shows of a built-in kind; of those without columns of their own, name and time of creation. */
export function columnsOf(group: string, kind: string): readonly TableColumn[] {
  return byKind[`${group}/${kind}`] ?? otherColumns;
}
