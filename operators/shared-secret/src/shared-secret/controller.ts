import {
  type ApiUse,
  anyOf,
  type ControllerDefinition,
  controller,
  generationChanged,
  type ObjectKey,
  type Predicate,
  usesOf,
} from "keelson";
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "keelson/kinds/apps/v1";
import { Job } from "keelson/kinds/batch/v1";
import { Pod, Secret, ServiceAccount } from "keelson/kinds/core/v1";
import { Role, RoleBinding } from "keelson/kinds/rbac/v1";
import { itemExponentialLimiter } from "keelson/queue";
import { copyLabel, fieldOwner, secretLabel } from "../api/names.ts";
import { SecretAccess } from "../api/secret-access.ts";
import { SharedSecret } from "../api/shared-secret.ts";
import { ConsumerPod, secretsAskedFor } from "../restart/consumer-pods.ts";
import { rolledKinds } from "../restart/workloads.ts";
import { removeCopies } from "../secret/copies.ts";
import { VersionedSecret } from "../secret/versioned-secret.ts";
import type { SharedSecretParts } from "./parts.ts";
import { reconcileSharedSecret } from "./reconcile.ts";
import { removeRotatorAccounts } from "./rotator-accounts.ts";

/** Copies and accounts are in other namespaces, where the garbage collector does not look for them. */
const finalizer = "vault.keelson.dev/other-namespaces";

/** A policy that cannot be reached is read again every half minute at the latest. */
const longestBackoffMs = 30_000;

/** What reconciles write and read beyond what the controller declares by its watches. */
export const reconcileUses: readonly ApiUse[] = [
  ...usesOf(SharedSecret, ["get", "patch"]),
  ...usesOf(SecretAccess, ["create", "delete"]),
  ...usesOf(Secret, ["get", "create", "patch", "delete"]),
  ...[Deployment, StatefulSet, DaemonSet].flatMap((resource) => usesOf(resource, ["patch"])),
  ...[ReplicaSet, Job].flatMap((resource) => usesOf(resource, ["get"])),
  ...usesOf(Pod, ["get", "delete"]),
  ...usesOf(Pod, ["create"], "eviction"),
  ...usesOf(ServiceAccount, ["list", "watch", "create", "patch", "delete"]),
];

/**
 * Reconciles a SharedSecret when it changes, when a rotator sets its flag, when its Secret or a copy changes, when a decision
 * about it changes, and when a pod that asks for it is created or deleted.
 */
export function sharedSecretController(
  parts: SharedSecretParts,
  { hasAccesses }: { readonly hasAccesses: boolean },
): ControllerDefinition {
  let builder = controller(SharedSecret, {
    ...{ fieldOwner, concurrency: 8 },
    backoff: () => itemExponentialLimiter({ baseMs: 1_000, maxMs: longestBackoffMs }),
    predicates: [anyOf<SharedSecret>(generationChanged, rotatorReported)],
  })
    .owns(Role)
    .owns(RoleBinding)
    .watches(VersionedSecret, sharedSecretOf)
    .watches(
      ConsumerPod,
      (pod) =>
        secretsAskedFor(pod).map((text) => {
          const [namespace = "", name = ""] = text.split("/");
          return { namespace, name };
        }),
      // What an update may change, readiness, is looked at while consumers are being restarted.
      { predicates: [{ update: () => false }] },
    )
    .finalize(finalizer, async (context) => {
      await removeCopies(context);
      await removeRotatorAccounts(context);
      parts.rounds.forget(context.object.metadata.uid);
    })
    .notFound(({ key }) => parts.metrics.forget(key));
  for (const { reduced } of rolledKinds.values()) builder = builder.watches(reduced, () => []);
  if (hasAccesses)
    builder = builder.watches(SecretAccess, ({ metadata: { namespace }, spec }) => [
      { namespace, name: spec.secret },
    ]);
  return builder.reconcile((context) => reconcileSharedSecret(context, parts));
}

/** The SharedSecret whose Secret, or a copy of it, has changed. */
function sharedSecretOf({ metadata: { namespace, labels } }: VersionedSecret): readonly ObjectKey[] {
  const name = labels?.[secretLabel];
  return name === undefined ? [] : [{ namespace: labels?.[copyLabel] ?? namespace, name }];
}

/** A rotator has set the flag, or written when it rotated. */
const rotatorReported: Predicate<SharedSecret> = {
  update: ({ old, object }) =>
    (object.status?.podsRestartRequired === true && old.status?.podsRestartRequired !== true) ||
    object.status?.lastUpdated !== old.status?.lastUpdated ||
    object.status?.rotation?.lastTime !== old.status?.rotation?.lastTime ||
    object.status?.rotation?.failures !== old.status?.rotation?.failures,
};
