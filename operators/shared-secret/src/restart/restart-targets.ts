import { type Client, controllerOf } from "keelson";
import { type Consumer, formatConsumer, isNamed, type NamedConsumer } from "../api/consumer.ts";
import { type ConsumerPod, podsOf } from "./consumer-pods.ts";
import { owningWorkload } from "./owning-workload.ts";
import type { EvictedPods } from "./pod-by-pod.ts";
import { findWorkload, type RolledWorkload } from "./workloads.ts";

/** What is restarted for a consumer. */
export type RestartTarget =
  /** The template of a workload is changed, and its controller replaces the pods. */
  | { readonly type: "rollout"; readonly consumer: NamedConsumer; readonly workload: RolledWorkload }
  /** The pods are evicted one after the other, and their controller replaces them. */
  | ({ readonly type: "pods"; readonly consumer: NamedConsumer } & EvictedPods);

interface Clients {
  readonly client: Client;
  readonly liveClient: Client;
}

/**
 * What has to be restarted so that all pods of a consumer are: workloads by a rollout, wherever a pod belongs to one, and
 * the other pods one by one. Empty if the consumer has no pods.
 */
export async function restartTargets(
  clients: Clients,
  consumer: Consumer,
): Promise<readonly RestartTarget[]> {
  const { client } = clients;
  const target = isNamed(consumer) ? await targetOfWorkload(client, consumer) : undefined;
  return target === undefined ? targetsOfPods(clients, await podsOf(client, consumer)) : [target];
}

/** The targets that pods belong to. */
export async function targetsOfPods(
  clients: Clients,
  pods: readonly ConsumerPod[],
): Promise<readonly RestartTarget[]> {
  const known = new Map<string, Promise<NamedConsumer>>();
  const owned = new Map<string, { readonly owner: NamedConsumer; readonly pods: ConsumerPod[] }>();
  for (const pod of pods) {
    // Pods of one ReplicaSet have one owner.
    const controller = controllerOf(pod)?.uid ?? pod.metadata.uid;
    const found = known.get(controller) ?? owningWorkload(clients.liveClient, pod);
    known.set(controller, found);
    const owner = await found;
    const text = formatConsumer(owner);
    const siblings = owned.get(text);
    if (siblings === undefined) owned.set(text, { owner, pods: [pod] });
    else siblings.pods.push(pod);
  }
  const targets = [...owned.values()].map(
    async ({ owner, pods: own }) =>
      (await targetOfWorkload(clients.client, owner)) ?? targetOfOthers(clients.client, owner, own),
  );
  return Promise.all(targets);
}

/** Undefined if the workload is of no kind that is rolled out, or of such a kind in another group. */
async function targetOfWorkload(client: Client, consumer: NamedConsumer): Promise<RestartTarget | undefined> {
  const workload = await findWorkload(client, consumer);
  if (workload === undefined) return undefined;
  if (workload.replacesPods) return { type: "rollout", consumer, workload };
  const pods = await podsOf(client, consumer);
  return { type: "pods", consumer, pods, others: [], desired: workload.desired };
}

/** Pods of a controller of which nothing is known but its name, or without one. */
async function targetOfOthers(
  client: Client,
  consumer: NamedConsumer,
  pods: readonly ConsumerPod[],
): Promise<RestartTarget> {
  const uids = new Set(pods.map(({ metadata }) => metadata.uid));
  const others = (await podsOf(client, consumer)).filter(({ metadata }) => !uids.has(metadata.uid));
  return { type: "pods", consumer, pods, others, desired: 0 };
}
