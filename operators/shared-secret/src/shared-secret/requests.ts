import { matchesLabels } from "keelson/low-level";
import { type Consumer, formatConsumer, isNamed, type Permission, parseConsumer } from "../api/consumer.ts";
import { consumerAnnotation } from "../api/names.ts";
import type { ConsumerPolicy, PolicyRequest, SecretKey, SecretPolicy } from "../policy/policy.ts";
import type { ConsumerPod } from "../restart/consumer-pods.ts";
import { asksOf } from "../webhook/asks.ts";

/** What has to be requested of the policy, each request once. */
export function missingRequests(
  secret: SecretKey,
  policy: SecretPolicy,
  facts: { readonly rotateSeconds: number; readonly pods: readonly ConsumerPod[] },
): readonly PolicyRequest[] {
  const requests = new Map<string, PolicyRequest>();
  // A policy may refuse requests for a secret that it does not know.
  for (const pod of policy.approval === undefined ? [] : facts.pods) {
    const request = missingAccess(secret, policy, pod);
    if (request !== undefined)
      requests.set(`${formatConsumer(request.consumer)} ${request.permission}`, request);
  }
  return [...shareRequests(policy, facts.rotateSeconds), ...requests.values()];
}

function shareRequests(
  { approval, pendingRotateSeconds, refusedRotateSeconds = [] }: SecretPolicy,
  rotateSeconds: number,
): readonly PolicyRequest[] {
  const isKnown =
    approval?.rotateSeconds === rotateSeconds ||
    pendingRotateSeconds === rotateSeconds ||
    refusedRotateSeconds.includes(rotateSeconds);
  return isKnown ? [] : [{ type: "Share", rotateSeconds, isUpdate: approval !== undefined }];
}

/** The access that a pod asks for and that nobody has decided on or requested. */
function missingAccess(
  secret: SecretKey,
  { consumers }: SecretPolicy,
  pod: ConsumerPod,
): Extract<PolicyRequest, { readonly type: "Access" }> | undefined {
  const permission = permissionAskedFor(secret, pod);
  const text = pod.metadata.annotations?.[consumerAnnotation];
  // A pod without the annotation was created while no webhook was called: it is not known whose it is.
  const consumer = text === undefined ? undefined : parseConsumer(text);
  if (permission === undefined || consumer === undefined || !isNamed(consumer)) return undefined;
  const isKnown = consumers.some((known) => isFor(known, permission) && covers(known.consumer, pod));
  return isKnown ? undefined : { type: "Access", consumer, permission };
}

/** A decision about read and write is one about reading. */
function isFor({ permission }: ConsumerPolicy, asked: Permission): boolean {
  return permission === asked || permission === "ReadWrite";
}

/** What a pod asks for of a SharedSecret; undefined for nothing. */
export function permissionAskedFor(secret: SecretKey, { metadata }: ConsumerPod): Permission | undefined {
  const { asks } = asksOf(metadata.annotations ?? {}, metadata.namespace);
  return asks.find((ask) => ask.secret.namespace === secret.namespace && ask.secret.name === secret.name)
    ?.permission;
}

/** Whether a consumer is the pod, its workload, or a selector of its labels. */
export function covers(consumer: Consumer, { metadata }: ConsumerPod): boolean {
  const { namespace, name, labels = {}, annotations } = metadata;
  if (!isNamed(consumer)) return consumer.namespace === namespace && matchesLabels(consumer.selector, labels);
  const text = formatConsumer(consumer);
  return (
    text === annotations?.[consumerAnnotation] || text === formatConsumer({ namespace, kind: "Pod", name })
  );
}
