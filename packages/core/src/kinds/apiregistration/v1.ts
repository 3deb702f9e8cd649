// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.
import type { ClusterMeta, Keyed, ListMeta } from "../../meta.ts";
import type { Resource } from "../../resource.ts";

export interface APIService {
  readonly apiVersion: "apiregistration.k8s.io/v1";
  readonly kind: "APIService";
  readonly metadata: ClusterMeta;
  readonly spec?: APIServiceSpec;
  readonly status?: APIServiceStatus;
}

export const APIService: Resource<APIService> = {
  group: "apiregistration.k8s.io",
  version: "v1",
  kind: "APIService",
  plural: "apiservices",
  scope: "Cluster",
};

export interface APIServiceCondition {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface APIServiceList {
  readonly apiVersion: "apiregistration.k8s.io/v1";
  readonly items: readonly APIService[];
  readonly kind: "APIServiceList";
  readonly metadata: ListMeta;
}

export interface APIServiceSpec {
  readonly caBundle?: string;
  readonly group?: string;
  readonly groupPriorityMinimum: number;
  readonly insecureSkipTLSVerify?: boolean;
  readonly service?: ServiceReference;
  readonly version?: string;
  readonly versionPriority: number;
}

export interface APIServiceStatus {
  readonly conditions?: Keyed<APIServiceCondition, "type">;
}

export interface ServiceReference {
  readonly name?: string;
  readonly namespace?: string;
  readonly port?: number;
}
