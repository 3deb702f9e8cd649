import type { KubeObject, ObjectMeta, Resource, Stored } from "keelson";
import type { PodTemplateSpec } from "keelson/kinds/core/v1";
import type { WorkloadKindName } from "./workload-kind.ts";

/** A workload as the operator sees it, whatever its kind. */
export interface Workload {
  readonly kind: WorkloadKindName;
  /** The kind for the client. */
  readonly resource: Resource;
  readonly object: Stored;
  readonly metadata: ObjectMeta & { readonly namespace: string; readonly name: string; readonly uid: string };
  /** Undefined if it has none, such as a Rollout with a `workloadRef`. */
  readonly template: PodTemplateSpec | undefined;
  /** The JSON pointer of the template, such as `/spec/template`. */
  readonly templatePointer: string;
  /**
   * Objects that stand for the same pods and may have annotations and be targets: a Rollout whose `workloadRef` names this
   * Deployment.
   */
  readonly aliases: readonly WorkloadAlias[];
}

/** Another object of the same pods. */
export interface WorkloadAlias {
  readonly kind: WorkloadKindName;
  readonly object: KubeObject;
}
