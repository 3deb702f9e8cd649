import { controllerOf, type GenericObject, type KubeObject, type Resource, type Stored } from "keelson";
import { ifServed } from "keelson/cache";
import { DaemonSet, Deployment, StatefulSet } from "keelson/kinds/apps/v1";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import type { PodTemplateSpec } from "keelson/kinds/core/v1";
import { genericResource, isRecord, pointer } from "keelson/low-level";
import type { AnnotationKeys } from "../api/annotation-keys.ts";
import { annotationOf } from "../decision/workload-annotations.ts";
import { isPodTemplate } from "./pod-template.ts";
import type { Workload, WorkloadAlias } from "./workload.ts";
import { formatWorkload, type WorkloadKindName } from "./workload-kind.ts";

/** A Rollout of Argo Rollouts. */
export const Rollout: Resource<GenericObject> = ifServed(
  genericResource({
    group: "argoproj.io",
    version: "v1alpha1",
    kind: "Rollout",
    plural: "rollouts",
    scope: "Namespaced",
  }),
);

/** A DeploymentConfig of OpenShift. */
export const DeploymentConfig: Resource<GenericObject> = ifServed(
  genericResource({
    group: "apps.openshift.io",
    version: "v1",
    kind: "DeploymentConfig",
    plural: "deploymentconfigs",
    scope: "Namespaced",
  }),
);

/** How the operator reads and writes the workloads of one kind. */
export interface WorkloadKind {
  readonly name: WorkloadKindName;
  /** The kind for the client. */
  readonly resource: Resource;
  /** Where the pod template is, field by field. */
  readonly templatePath: readonly string[];
}

/** Every kind that can be reloaded, by its name. */
export const workloadKinds: Readonly<Record<WorkloadKindName, WorkloadKind>> = {
  Deployment: inTemplate("Deployment", Deployment),
  StatefulSet: inTemplate("StatefulSet", StatefulSet),
  DaemonSet: inTemplate("DaemonSet", DaemonSet),
  Rollout: inTemplate("Rollout", Rollout),
  DeploymentConfig: inTemplate("DeploymentConfig", DeploymentConfig),
  CronJob: { ...inTemplate("CronJob", CronJob), templatePath: ["spec", "jobTemplate", "spec", "template"] },
  Job: inTemplate("Job", Job),
};

function inTemplate(name: WorkloadKindName, resource: Resource): WorkloadKind {
  return { name, resource, templatePath: ["spec", "template"] };
}

/** The object as a workload. What is not a pod template in the place of one counts as none. */
export function workloadOf(
  kind: WorkloadKindName,
  object: Stored,
  aliases: readonly WorkloadAlias[] = [],
): Workload {
  const { resource, templatePath } = workloadKinds[kind];
  const { metadata } = object;
  return {
    kind,
    resource,
    object,
    metadata: { ...metadata, namespace: metadata.namespace ?? "" },
    template: templateOf(object, templatePath),
    templatePointer: pointer(...templatePath),
    aliases,
  };
}

function templateOf(object: KubeObject, path: readonly string[]): PodTemplateSpec | undefined {
  const template = valueAt(object, ...path);
  return isPodTemplate(template) ? template : undefined;
}

/** What an object of any kind has at a path; undefined if it has nothing there. */
export function valueAt(object: KubeObject, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, field) => (isRecord(value) && Object.hasOwn(value, field) ? value[field] : undefined),
    object,
  );
}

/** The name of the Deployment in the same namespace whose template a Rollout uses; undefined if it has one of its own. */
export function referencedDeployment(rollout: KubeObject): string | undefined {
  const name = valueAt(rollout, "spec", "workloadRef", "name");
  const isDeployment = valueAt(rollout, "spec", "workloadRef", "kind") === "Deployment";
  return isDeployment && typeof name === "string" && name !== "" ? name : undefined;
}

/**
 * Why the operator never reloads a workload, whatever changes; undefined if it may. A Job is only reloaded by replacing
 * it, which its `job-policy` has to allow, and one that has finished or that a CronJob started would do its work twice.
 */
export function ineligibility(workload: Workload, keys: AnnotationKeys): string | undefined {
  const { kind, metadata } = workload;
  const name = formatWorkload({ kind, namespace: metadata.namespace, name: metadata.name });
  if (metadata.deletionTimestamp !== undefined) return `${name} is being deleted`;
  if (workload.template === undefined && referencedDeployment(workload.object) === undefined)
    return `${name} has no pod template`;
  const controller = controllerOf(workload.object);
  if (controller?.kind === "ReplicaSet" || controller?.kind === "ReplicationController")
    return `${name} is controlled by ${controller.kind} ${controller.name}`;
  return kind === "Job" ? jobIneligibility(workload, name, keys) : undefined;
}

function jobIneligibility(workload: Workload, name: string, keys: AnnotationKeys): string | undefined {
  const controller = controllerOf(workload.object);
  if (controller?.kind === "CronJob") return `${name} was started by CronJob ${controller.name}`;
  if (isFinished(workload.object)) return `${name} has finished`;
  const policy = annotationOf(workload, keys.jobPolicy);
  return policy === "recreate" ? undefined : `${name} does not have annotation ${keys.jobPolicy}: recreate`;
}

function isFinished(job: KubeObject): boolean {
  const conditions = valueAt(job, "status", "conditions");
  // A Job that has met or missed its goal ends its pods first; its work is over from then on.
  const ends = ["Complete", "Failed", "SuccessCriteriaMet", "FailureTarget"];
  return (
    Array.isArray(conditions) &&
    conditions.some(
      (condition) =>
        isRecord(condition) && condition.status === "True" && ends.some((type) => type === condition.type),
    )
  );
}
