import {
  type Client,
  cacheIndex,
  controllerOf,
  find,
  formatKey,
  type KubeObject,
  type ObjectKey,
  type Resource,
  type Stored,
} from "keelson";
import { type CachedIndex, type Projected, projected } from "keelson/cache";
import { Pod } from "keelson/kinds/core/v1";
import { formatLabelSelector } from "keelson/low-level";
import { type Consumer, formatConsumer, isNamed } from "../api/consumer.ts";
import { consumerAnnotation } from "../api/names.ts";
import { annotationPrefixes, asksOf } from "../webhook/asks.ts";

/** What the cache keeps of a pod, beside its labels, its controller and the annotations of the operator. */
interface PodState {
  readonly isReady: boolean;
  /** Whether all its containers have ended for good. */
  readonly hasEnded: boolean;
}

/** Pods, reduced to what restarts need. */
export const ConsumerPod: Resource<Projected<Pod, PodState>> = projected(Pod, {
  name: "shared-secret",
  project: stateOf,
});

export type ConsumerPod = Stored<Projected<Pod, PodState>>;

function stateOf({ metadata, status }: Stored<Pod>) {
  const { annotations = {}, ownerReferences } = metadata;
  const own = Object.entries(annotations).filter(([key]) =>
    annotationPrefixes.some((prefix) => key.startsWith(prefix)),
  );
  return {
    metadata: {
      ...(ownerReferences !== undefined && { ownerReferences }),
      ...(own.length > 0 && { annotations: Object.fromEntries(own) }),
    },
    isReady:
      status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") === true,
    hasEnded: status?.phase === "Succeeded" || status?.phase === "Failed",
  };
}

const askIndex = "sharedSecret";
const ownerIndex = "consumer";

/** Pods by the SharedSecrets that they ask for, and by the consumers that they belong to. */
export const podIndexes: readonly CachedIndex[] = [
  cacheIndex(ConsumerPod, askIndex, secretsAskedFor),
  cacheIndex(ConsumerPod, ownerIndex, (pod) => {
    const controller = controllerOf(pod);
    const direct = controller && formatConsumer({ ...controller, namespace: pod.metadata.namespace });
    const found = pod.metadata.annotations?.[consumerAnnotation];
    return [...new Set([direct, found])].filter((text) => text !== undefined);
  }),
];

/** The SharedSecrets that a pod asks for, as `namespace/name`. */
export function secretsAskedFor({
  metadata: { annotations, namespace = "" },
}: KubeObject): readonly string[] {
  return asksOf(annotations ?? {}, namespace).asks.map(({ secret }) => formatKey(secret));
}

/** The pods whose annotations ask for a SharedSecret, whether they got it or not. */
export async function podsAskingFor(client: Client, secret: ObjectKey): Promise<readonly ConsumerPod[]> {
  const { items } = await client.list(ConsumerPod, { fieldSelector: `${askIndex}=${formatKey(secret)}` });
  return items.filter(({ metadata, hasEnded }) => metadata.deletionTimestamp === undefined && !hasEnded);
}

/** The pods of a consumer that have not ended, also those that are being deleted. */
export async function podsOf(client: Client, consumer: Consumer): Promise<readonly ConsumerPod[]> {
  return (await allPodsOf(client, consumer)).filter(({ hasEnded }) => !hasEnded);
}

async function allPodsOf(client: Client, consumer: Consumer): Promise<readonly ConsumerPod[]> {
  const { namespace } = consumer;
  if (!isNamed(consumer)) {
    const labelSelector = formatLabelSelector(consumer.selector);
    return (await client.list(ConsumerPod, { namespace, labelSelector })).items;
  }
  if (consumer.kind === "Pod") {
    const pod = await find(client, ConsumerPod, consumer);
    return pod === undefined ? [] : [pod];
  }
  const fieldSelector = `${ownerIndex}=${formatConsumer(consumer)}`;
  return (await client.list(ConsumerPod, { namespace, fieldSelector })).items;
}
