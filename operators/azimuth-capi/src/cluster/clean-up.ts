import { find, NotFoundError, type ReconcileResult } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { specOf } from "../api/cluster.ts";
import { namesOf } from "../api/names.ts";
import { clusterStatusOf } from "../status/cluster-status.ts";
import { releaseLeases } from "./lease.ts";
import { observeSurroundings } from "./observe.ts";
import type { ClusterContext, ClusterParts } from "./parts.ts";

/** If no event shows that the Cluster of Cluster API is gone, it is looked at after this long. */
const capiClusterMs = 15_000;

/**
 * Removes what belongs to a Cluster that is being deleted, in this order: the machines need the credentials of the cloud until
 * they are gone, and the schedule operator deletes the credentials once the Lease may go.
 *
 * A Cluster that is deleted while it is paused leaves everything behind, the finalizer of its Lease included.
 */
export async function cleanUpCluster(context: ClusterContext, parts: ClusterParts): Promise<ReconcileResult> {
  const { object, key, liveClient, log, signal } = context;
  const spec = specOf(object);
  parts.tenants.observe(key, undefined);
  if (spec.paused) {
    log.info("the Cluster is paused: it is deleted, and everything that belongs to it stays");
    return undefined;
  }
  const { namespace, name } = object.metadata;
  await deleteEtcdKey(context);
  await parts.helm.uninstall({ namespace, name }, signal);
  await showStatus(context, parts);
  if ((await find(liveClient, parts.kinds.CapiCluster, { namespace, name })) !== undefined)
    return { requeueAfterMs: capiClusterMs };
  await releaseLeases(context, parts, spec.leaseName);
  return undefined;
}

async function deleteEtcdKey({ liveClient, object }: ClusterContext): Promise<void> {
  const { namespace, name } = object.metadata;
  const key = { namespace, name: namesOf(name).etcdKeySecret };
  if ((await find(liveClient, Secret, key)) === undefined) return;
  try {
    await liveClient.delete(Secret, key);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}

/** The status follows the deletion. Nothing that belongs to the Cluster is created for it any more. */
async function showStatus(context: ClusterContext, parts: ClusterParts): Promise<void> {
  const { object, clock, setStatus } = context;
  const { status: previous } = object;
  const spec = specOf(object);
  const observed = await observeSurroundings(context, parts, spec);
  await setStatus(
    clusterStatusOf(
      {
        ...observed,
        kubeconfigSecretName: previous?.kubeconfigSecretName ?? undefined,
        services: previous?.services ?? {},
      },
      {
        ...{ spec, previous, nowMs: clock.now(), isHandled: true, hasJustHandled: false },
        timeoutMs: parts.settings.clusterTimeoutSeconds * 1000,
      },
    ),
  );
}
