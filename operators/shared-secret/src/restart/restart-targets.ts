import { type Client, controllerOf } from "keelson";
import { type Consumer, formatConsumer, isNamed, type NamedConsumer } from "../api/consumer.ts";
import { type ConsumerPod, podsOf } from "./consumer-pods.ts";
import { owningWorkload } from "./owning-workload.ts";
import { findWorkload, type RolledWorkload, rolledKinds } from "./workloads.ts";

/** What is restarted for a consumer. */
export type RestartTarget =
  /** The template of a workload is changed, and its controller replaces the pods. */
  | { readonly type: "rollout"; readonly consumer: NamedConsumer; readonly workload: RolledWorkload }
  /** The pods are evicted one after the other, and their controller replaces them. */
  | { readonly type: "pods"; readonly consumer: NamedConsumer; readonly pods: readonly ConsumerPod[] };

/**
 * What has to be restarted so that all pods of a consumer are: workloads by a rollout, wherever a pod belongs to one, and
 * the other pods one by one. Empty if the consumer has no pods.
 */
export async function restartTargets(
  clients: { readonly client: Client; readonly liveClient: Client },
  consumer: Consumer,
): Promise<readonly RestartTarget[]> {
  const { client } = clients;
  if (isNamed(consumer) && rolledKinds.has(consumer.kind)) return targetsOfWorkload(client, consumer);
  return targetsOfPods(clients, await podsOf(client, consumer));
}

async function targetsOfWorkload(client: Client, consumer: NamedConsumer): Promise<readonly RestartTarget[]> {
  const workload = await findWorkload(client, consumer);
  if (workload === undefined) return [];
  if (workload.replacesPods) return [{ type: "rollout", consumer, workload }];
  return [{ type: "pods", consumer, pods: await podsOf(client, consumer) }];
}

/** The targets that pods belong to. */
export async function targetsOfPods(
  clients: { readonly client: Client; readonly liveClient: Client },
  pods: readonly ConsumerPod[],
): Promise<readonly RestartTarget[]> {
  const owners = new Map<string, NamedConsumer>();
  const podsByOwner = new Map<string, ConsumerPod[]>();
  const known = new Map<string, Promise<NamedConsumer>>();
  for (const pod of pods) {
    // Pods of one ReplicaSet have one owner.
    const controller = controllerOf(pod)?.uid ?? pod.metadata.uid;
    const found = known.get(controller) ?? owningWorkload(clients.liveClient, pod);
    known.set(controller, found);
    const owner = await found;
    const text = formatConsumer(owner);
    owners.set(text, owner);
    podsByOwner.set(text, [...(podsByOwner.get(text) ?? []), pod]);
  }
  const targets = [...owners].map(async ([text, owner]): Promise<readonly RestartTarget[]> => {
    if (rolledKinds.has(owner.kind)) return targetsOfWorkload(clients.client, owner);
    return [{ type: "pods", consumer: owner, pods: podsByOwner.get(text) ?? [] }];
  });
  return (await Promise.all(targets)).flat();
}
