// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.
import type { ClusterMeta, Keyed, ListMeta } from "../../meta.ts";
import type { Resource } from "../../resource.ts";

export interface ExemptPriorityLevelConfiguration {
  readonly lendablePercent?: number;
  readonly nominalConcurrencyShares?: number;
}

export interface FlowDistinguisherMethod {
  readonly type: string;
}

export interface FlowSchema {
  readonly apiVersion: "flowcontrol.apiserver.k8s.io/v1";
  readonly kind: "FlowSchema";
  readonly metadata: ClusterMeta;
  readonly spec?: FlowSchemaSpec;
  readonly status?: FlowSchemaStatus;
}

export const FlowSchema: Resource<FlowSchema> = {
  group: "flowcontrol.apiserver.k8s.io",
  version: "v1",
  kind: "FlowSchema",
  plural: "flowschemas",
  scope: "Cluster",
};

export interface FlowSchemaCondition {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export interface FlowSchemaList {
  readonly apiVersion: "flowcontrol.apiserver.k8s.io/v1";
  readonly items: readonly FlowSchema[];
  readonly kind: "FlowSchemaList";
  readonly metadata: ListMeta;
}

export interface FlowSchemaSpec {
  readonly distinguisherMethod?: FlowDistinguisherMethod;
  readonly matchingPrecedence?: number;
  readonly priorityLevelConfiguration: PriorityLevelConfigurationReference;
  readonly rules?: readonly PolicyRulesWithSubjects[];
}

export interface FlowSchemaStatus {
  readonly conditions?: Keyed<FlowSchemaCondition, "type">;
}

export interface GroupSubject {
  readonly name: string;
}

export interface LimitResponse {
  readonly queuing?: QueuingConfiguration;
  readonly type: string;
}

export interface LimitedPriorityLevelConfiguration {
  readonly borrowingLimitPercent?: number;
  readonly lendablePercent?: number;
  readonly limitResponse?: LimitResponse;
  readonly nominalConcurrencyShares?: number;
}

export interface NonResourcePolicyRule {
  readonly nonResourceURLs: readonly string[];
  readonly verbs: readonly string[];
}

export interface PolicyRulesWithSubjects {
  readonly nonResourceRules?: readonly NonResourcePolicyRule[];
  readonly resourceRules?: readonly ResourcePolicyRule[];
  readonly subjects: readonly Subject[];
}

export interface PriorityLevelConfiguration {
  readonly apiVersion: "flowcontrol.apiserver.k8s.io/v1";
  readonly kind: "PriorityLevelConfiguration";
  readonly metadata: ClusterMeta;
  readonly spec?: PriorityLevelConfigurationSpec;
  readonly status?: PriorityLevelConfigurationStatus;
}

export const PriorityLevelConfiguration: Resource<PriorityLevelConfiguration> = {
  group: "flowcontrol.apiserver.k8s.io",
  version: "v1",
  kind: "PriorityLevelConfiguration",
  plural: "prioritylevelconfigurations",
  scope: "Cluster",
};

export interface PriorityLevelConfigurationCondition {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export interface PriorityLevelConfigurationList {
  readonly apiVersion: "flowcontrol.apiserver.k8s.io/v1";
  readonly items: readonly PriorityLevelConfiguration[];
  readonly kind: "PriorityLevelConfigurationList";
  readonly metadata: ListMeta;
}

export interface PriorityLevelConfigurationReference {
  readonly name: string;
}

export interface PriorityLevelConfigurationSpec {
  readonly exempt?: ExemptPriorityLevelConfiguration;
  readonly limited?: LimitedPriorityLevelConfiguration;
  readonly type: string;
}

export interface PriorityLevelConfigurationStatus {
  readonly conditions?: Keyed<PriorityLevelConfigurationCondition, "type">;
}

export interface QueuingConfiguration {
  readonly handSize?: number;
  readonly queueLengthLimit?: number;
  readonly queues?: number;
}

export interface ResourcePolicyRule {
  readonly apiGroups: readonly string[];
  readonly clusterScope?: boolean;
  readonly namespaces?: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export interface ServiceAccountSubject {
  readonly name: string;
  readonly namespace: string;
}

export interface Subject {
  readonly group?: GroupSubject;
  readonly kind: string;
  readonly serviceAccount?: ServiceAccountSubject;
  readonly user?: UserSubject;
}

export interface UserSubject {
  readonly name: string;
}
