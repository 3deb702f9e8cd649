import { type Client, controllerOf, find, type KubeObject, metadataOnly, type Resource } from "keelson";
import { ReplicaSet } from "keelson/kinds/apps/v1";
import { Job } from "keelson/kinds/batch/v1";
import { parseApiVersion } from "keelson/low-level";
import type { NamedConsumer } from "../api/consumer.ts";

/** A pod of which it is known where it is. The name does not count if the pod has a controller. */
export interface PlacedPod extends KubeObject {
  readonly metadata: KubeObject["metadata"] & { readonly namespace: string; readonly name: string };
}

/** The kinds that other workloads create for each of their revisions or runs, and that users do not name. */
export const intermediateKinds: readonly Resource[] = [ReplicaSet, Job];

/**
 * The workload that a pod belongs to, as users know it: the Deployment of its ReplicaSet, the CronJob of its Job, otherwise
 * its controller, or the pod itself if it has none. Throws if the ReplicaSet or Job cannot be read.
 */
export async function owningWorkload(
  liveClient: Pick<Client, "get">,
  pod: PlacedPod,
): Promise<NamedConsumer> {
  const { namespace, name } = pod.metadata;
  const controller = controllerOf(pod);
  if (controller === undefined) return { namespace, kind: "Pod", name };
  const direct = { namespace, kind: controller.kind, name: controller.name };
  const { group } = parseApiVersion(controller.apiVersion);
  const intermediate = intermediateKinds.find(
    (resource) => resource.kind === controller.kind && resource.group === group,
  );
  if (intermediate === undefined) return direct;
  const found = await find(liveClient, metadataOnly(intermediate), { namespace, name: controller.name });
  // One with another uid is not the controller of this pod.
  const owner = found?.metadata.uid === controller.uid ? controllerOf(found) : undefined;
  return owner === undefined ? direct : { namespace, kind: owner.kind, name: owner.name };
}
