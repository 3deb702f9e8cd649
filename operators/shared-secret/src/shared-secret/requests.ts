import { claimantOf, covers } from "../api/claimant.ts";
import { formatConsumer, includes, type Permission } from "../api/consumer.ts";
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

/** The access that a pod asks for and for which there is neither a decision nor a request. */
function missingAccess(
  secret: SecretKey,
  { consumers }: SecretPolicy,
  pod: ConsumerPod,
): Extract<PolicyRequest, { readonly type: "Access" }> | undefined {
  const permission = permissionAskedFor(secret, pod);
  const claimant = claimantOf(pod);
  if (permission === undefined || claimant === undefined) return undefined;
  const isKnown = consumers.some((known) => isAbout(known, permission) && covers(known.consumer, claimant));
  return isKnown ? undefined : { type: "Access", consumer: claimant.consumer, permission };
}

/** Who may read and write may read; who may not, may still ask to read. */
function isAbout({ state, permission }: ConsumerPolicy, asked: Permission): boolean {
  return state === "Refused" ? permission === asked : includes(permission, asked);
}

/** What a pod asks for of a SharedSecret; undefined for nothing. */
export function permissionAskedFor(secret: SecretKey, { metadata }: ConsumerPod): Permission | undefined {
  const { asks } = asksOf(metadata.annotations ?? {}, metadata.namespace);
  return asks.find((ask) => ask.secret.namespace === secret.namespace && ask.secret.name === secret.name)
    ?.permission;
}
