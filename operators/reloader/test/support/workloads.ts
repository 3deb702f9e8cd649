import type { GenericObject, Stored } from "keelson";
import { CronJob } from "keelson/kinds/batch/v1";
import { Pod, type PodSpec } from "keelson/kinds/core/v1";
import { genericResource } from "keelson/low-level";
import { ownerReferenceTo } from "keelson/object";
import type { WorkloadKindName } from "../../src/workload/workload-kind.ts";
import { workloadKinds } from "../../src/workload/workload-kinds.ts";
import { type ReloaderSpace, usingContainer } from "./space.ts";

type Texts = Readonly<Record<string, string>>;

/** What a test chooses of a workload. */
export interface WorkloadChoice {
  readonly annotations?: Texts;
  readonly templateAnnotations?: Texts;
  /** Beside the template and what the kind requires. */
  readonly spec?: object;
  readonly pod?: Partial<PodSpec>;
  /** The CronJob that controls a Job. */
  readonly owner?: Stored;
}

/** Pods that run until they are deleted. */
export const endless = { "hollow.keelson.dev/run": "forever" };

/** Creates a workload whose one container uses the Secret `db`. */
export function createWorkload(
  { world, namespace }: ReloaderSpace,
  kind: WorkloadKindName,
  name: string,
  choice: WorkloadChoice = {},
): Promise<Stored<GenericObject>> {
  const { annotations = {}, templateAnnotations = {}, spec = {}, pod = {}, owner } = choice;
  const labels = { app: name };
  const template = {
    metadata: { labels, annotations: templateAnnotations },
    spec: {
      containers: [usingContainer({ secret: "db" })],
      terminationGracePeriodSeconds: 0,
      ...(kind === "Job" || kind === "CronJob" ? { restartPolicy: "Never" as const } : {}),
      ...pod,
    },
  };
  return world.client.create(genericResource(workloadKinds[kind].resource), {
    metadata: {
      ...{ namespace, name, annotations },
      ...(owner !== undefined && {
        ownerReferences: [ownerReferenceTo({ resource: CronJob, object: owner }, { controller: true })],
      }),
    },
    spec: { ...specOf(kind, labels, template), ...spec },
  });
}

function specOf(kind: WorkloadKindName, labels: Texts, template: object): object {
  switch (kind) {
    case "CronJob":
      return { schedule: "0 0 1 1 *", jobTemplate: { spec: { template } } };
    case "Job":
      return { template };
    case "DeploymentConfig":
      return { replicas: 1, selector: labels, template };
    case "StatefulSet":
      return { replicas: 2, serviceName: "none", selector: { matchLabels: labels }, template };
    case "DaemonSet":
      return { selector: { matchLabels: labels }, template };
    case "Deployment":
    case "Rollout":
      return { replicas: 2, selector: { matchLabels: labels }, template };
  }
}

/** A workload as the server has it. */
export function getWorkload(
  space: ReloaderSpace,
  kind: WorkloadKindName,
  name: string,
): Promise<Stored<GenericObject>> {
  return space.get(genericResource(workloadKinds[kind].resource), name);
}

/** The pods of a workload that are ready and not being deleted. */
export async function readyPods(space: ReloaderSpace, name: string): Promise<readonly Stored<Pod>[]> {
  const { items } = await space.world.client.list(Pod, {
    namespace: space.namespace,
    labelSelector: `app=${name}`,
  });
  return items.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined &&
      status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true,
  );
}
