import {
  type Admission,
  type ApiUse,
  admission,
  controllerOf,
  find,
  formatKey,
  type Mutation,
  type Stored,
  usesOf,
} from "keelson";
import { Pod, ServiceAccount } from "keelson/kinds/core/v1";
import type { Claimant } from "../api/claimant.ts";
import { consumerAnnotation, group, injectedAnnotation, rotatorAccountOf } from "../api/names.ts";
import { SharedSecret } from "../api/shared-secret.ts";
import { intermediateKinds, owningWorkload } from "../restart/owning-workload.ts";
import { missingAccess, type SharedSecrets } from "./access.ts";
import { type Ask, annotationPrefixes, askPrefix, asksOf } from "./asks.ts";
import { decidePod, withoutAnnotations } from "./pod-decision.ts";
import { type RotatorImages, rotatedInPod } from "./rotator-sidecar.ts";

/** What the webhook needs of its settings. */
export interface PodAdmissionSettings {
  readonly rotatorImages: RotatorImages;
}

/** What the webhook reads: SharedSecrets from the cache, the others from the server. */
export const podAdmissionUses: readonly ApiUse[] = [
  ...usesOf(SharedSecret, ["list", "watch"]),
  ...intermediateKinds.flatMap((resource) => usesOf(resource, ["get"])),
  ...usesOf(ServiceAccount, ["get"]),
];

const [originalPrefix = ""] = annotationPrefixes;

/** Other pods do not depend on this webhook. */
const isAnnotated = `has(object.metadata.annotations) && object.metadata.annotations.exists(key, ${[
  `key.startsWith('${originalPrefix}')`,
  `key.startsWith('${askPrefix}')`,
  `key == '${consumerAnnotation}'`,
  `key == '${injectedAnnotation}'`,
].join(" || ")})`;

/**
 * Gives new pods what their annotations ask for, once a policy has approved all of it. A pod that asks for something is
 * refused while no operator serves the webhook: it would run without its secrets, and nothing would restart it.
 */
export function podAdmission(settings: PodAdmissionSettings): Admission<Pod> {
  return admission(Pod, {
    name: `pods.${group}`,
    // Operators that share a server may each have a webhook for pods.
    paths: { mutate: "/mutate-shared-secret-pods" },
    matchConditions: [{ name: "asks-for-secrets", expression: isAnnotated }],
    failurePolicy: "Fail",
    reinvocationPolicy: "IfNeeded",
    sideEffects: "None",
  }).mutate((call) => admitPod(call, settings), { operations: ["CREATE"] });
}

type Call = Pick<Mutation<Pod>, "object" | "request" | "client" | "liveClient" | "deny" | "warn">;

/** Reads what counts for a pod, and returns the pod as it is to be stored. */
async function admitPod(call: Call, { rotatorImages }: PodAdmissionSettings): Promise<Pod> {
  const { object: pod, request, deny, warn } = call;
  const namespace = request.namespace ?? pod.metadata.namespace ?? "";
  const { asks, mountPath, problems } = asksOf(pod.metadata.annotations ?? {}, namespace);
  if (problems.length > 0) deny(problems.join("; "), { reason: "Invalid" });
  if (asks.length === 0) return withoutAnnotations(pod);
  const claimant = await newClaimant(call, namespace);
  const sharedSecrets = await readSharedSecrets(call, asks);
  const decision = decidePod({
    ...{ pod, claimant, asks: { asks, mountPath }, sharedSecrets, rotatorImages },
    hasAccount: await hasAccount(call, { claimant, asks, sharedSecrets }),
  });
  if (decision.type === "denied") return deny(decision.problems.join("; "));
  for (const warning of decision.warnings) warn(warning);
  return decision.pod;
}

async function newClaimant({ object, liveClient, deny }: Call, namespace: string): Promise<Claimant> {
  const { name, labels = {} } = object.metadata;
  if (name === undefined && controllerOf(object) === undefined)
    deny(
      "a pod without a controller needs a name, as access is approved by name; write metadata.name in place of generateName",
    );
  const placed = { ...object, metadata: { ...object.metadata, namespace, name: name ?? "" } };
  return { consumer: await owningWorkload(liveClient, placed), podName: name, labels };
}

async function readSharedSecrets({ client }: Call, asks: readonly Ask[]): Promise<SharedSecrets> {
  const found = await Promise.all(
    asks.map(async ({ secret }): Promise<readonly (readonly [string, Stored<SharedSecret>])[]> => {
      const sharedSecret = await find(client, SharedSecret, secret);
      return sharedSecret === undefined ? [] : [[formatKey(secret), sharedSecret]];
    }),
  );
  return new Map(found.flat());
}

/** The API server refuses pods whose ServiceAccount does not exist; so a pod waits for it as it waits for approvals. */
async function hasAccount(
  { liveClient }: Call,
  {
    claimant,
    asks,
    sharedSecrets,
  }: { readonly claimant: Claimant; readonly asks: readonly Ask[]; readonly sharedSecrets: SharedSecrets },
): Promise<boolean> {
  const isNeeded =
    rotatedInPod(asks, sharedSecrets).length > 0 && missingAccess(claimant, asks, sharedSecrets).length === 0;
  if (!isNeeded) return false;
  const { consumer } = claimant;
  const key = { namespace: consumer.namespace, name: rotatorAccountOf(consumer) };
  return (await find(liveClient, ServiceAccount, key)) !== undefined;
}
