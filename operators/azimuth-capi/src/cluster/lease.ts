import { ConflictError, find, mergePatch, NotFoundError, type Stored } from "keelson";
import { ownerReferenceTo } from "keelson/object";
import { Reason } from "../api/reasons.ts";
import { Lease } from "../neighbours/scheduling.ts";
import { NotReadyError } from "./not-ready-error.ts";
import type { ClusterContext, ClusterParts } from "./parts.ts";

/**
 * Makes the Lease stay until the Cluster is gone, and lets the schedule operator delete the Cluster when the Lease ends. Writes
 * nothing if that is so already.
 */
export async function adoptLease(
  context: ClusterContext,
  parts: ClusterParts,
  lease: Stored<Lease>,
): Promise<void> {
  const { leaseFinalizer } = parts.names;
  const resource = parts.kinds.Cluster;
  const owner = ownerReferenceTo({ resource, object: context.object }, { blockOwnerDeletion: true });
  await changeLease(context, parts, lease, ({ deletionTimestamp, finalizers = [], ownerReferences = [] }) => {
    const hasFinalizer = finalizers.includes(leaseFinalizer);
    const hasOwner = ownerReferences.some(({ uid }) => uid === owner.uid);
    // Finalizers cannot be added to what is being deleted.
    if (deletionTimestamp !== undefined || (hasFinalizer && hasOwner)) return undefined;
    return {
      ...(!hasFinalizer && { finalizers: [...finalizers, leaseFinalizer] }),
      ...(!hasOwner && { ownerReferences: [...ownerReferences, owner] }),
    };
  });
}

/** The names of flavors that are reserved for those that were requested, once the Lease is active. */
export function requireActive(
  lease: Stored<Lease> | undefined,
  name: string,
): Readonly<Record<string, string>> {
  if (lease === undefined)
    throw new NotReadyError(Reason.LeaseNotFound, `lease '${name}' does not exist`, { isAbsent: true });
  if (lease.status?.phase !== "Active")
    throw new NotReadyError(
      Reason.LeaseNotActive,
      `lease is not active: '${name}' is ${lease.status?.phase ?? "not known to the schedule operator yet"}`,
    );
  return lease.status.sizeNameMap ?? {};
}

/** Lets the Lease of the Cluster be deleted, and any that its spec named before. */
export async function releaseLeases(
  context: ClusterContext,
  parts: ClusterParts,
  leaseName: string | undefined,
): Promise<void> {
  const { client, liveClient, object } = context;
  const { namespace, uid } = object.metadata;
  const { leaseFinalizer } = parts.names;
  const { items } = await client.list(Lease, { namespace });
  const earlier = items.filter(
    ({ metadata: { name, ownerReferences = [] } }) =>
      name !== leaseName && ownerReferences.some((owner) => owner.uid === uid),
  );
  const current = leaseName && (await find(liveClient, Lease, { namespace, name: leaseName }));
  for (const lease of current ? [current, ...earlier] : earlier)
    await changeLease(context, parts, lease, ({ finalizers = [] }) =>
      finalizers.includes(leaseFinalizer)
        ? { finalizers: finalizers.filter((each) => each !== leaseFinalizer) }
        : undefined,
    );
}

type LeaseMetadata = Stored<Lease>["metadata"];

/** The schedule operator writes to a Lease as well, above all when it is new. */
const attempts = 5;

/** Patches the lists that `change` returns; undefined if they are right. A Lease that is gone needs no change. */
async function changeLease(
  { client, liveClient }: ClusterContext,
  { settings }: ClusterParts,
  lease: Stored<Lease>,
  change: (metadata: LeaseMetadata) => Pick<LeaseMetadata, "finalizers" | "ownerReferences"> | undefined,
): Promise<void> {
  const { namespace, name } = lease.metadata;
  const fieldOwner = settings.easykubeFieldManager;
  let current: Stored<Lease> | undefined = lease;
  for (let attempt = 1; current !== undefined; attempt++) {
    const changed = change(current.metadata);
    if (changed === undefined) return;
    // With its version, the server refuses the patch if another program has changed the lists meanwhile.
    const patch = mergePatch({ metadata: { resourceVersion: current.metadata.resourceVersion, ...changed } });
    try {
      await client.patch(Lease, { namespace, name }, patch, { fieldOwner });
      return;
    } catch (error) {
      if (error instanceof NotFoundError) return;
      if (!(error instanceof ConflictError) || attempt === attempts) throw error;
    }
    current = await find(liveClient, Lease, { namespace, name });
  }
}
