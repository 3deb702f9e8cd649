import {
  anyOf,
  type ControllerDefinition,
  controller,
  generationChanged,
  type KubeObject,
  type ObjectKey,
  type Predicate,
  type Stored,
} from "keelson";
import type { HandlerContext } from "keelson/controller";
import { Secret } from "keelson/kinds/core/v1";
import { itemExponentialLimiter } from "keelson/queue";
import type { Cluster } from "../api/cluster.ts";
import { addonClusterLabel, capiClusterLabel, clusterLabel } from "../api/names.ts";
import { HelmRelease, Kustomization, Manifests } from "../neighbours/addons.ts";
import { Lease } from "../neighbours/scheduling.ts";
import { templateIndex } from "../webhook/admissions.ts";
import { cleanUpCluster } from "./clean-up.ts";
import type { ClusterParts } from "./parts.ts";
import { reconcileCluster } from "./reconcile.ts";

/** A Helm command may take long, and a cloud longer: many Clusters wait at once. */
const concurrency = 8;

/** The index of Clusters by the name of their Lease. */
export const leaseIndex = "lease";

/**
 * Reconciles a Cluster when its spec changes, and when one of its neighbours does: so that what it waits for continues it at
 * once.
 */
export function clusterController(parts: ClusterParts): ControllerDefinition {
  const { kinds, names, settings, tenants, statusPace } = parts;
  let builder = controller(kinds.Cluster, {
    concurrency,
    fieldOwner: settings.easykubeFieldManager,
    backoff: () => itemExponentialLimiter({ baseMs: 1_000, maxMs: 60_000 }),
    predicates: [anyOf<Cluster>(generationChanged, metadataCounts(names.lastHandledAnnotation))],
  })
    .owns(kinds.OidcClient)
    .owns(kinds.Platform)
    .watches(kinds.Realm, clustersOfNamespace(parts))
    .watches(kinds.ClusterTemplate, indexed(parts, templateIndex))
    .watches(Lease, indexed(parts, leaseIndex))
    .watches(Secret, labelled(capiClusterLabel))
    .watches(HelmRelease, labelled(clusterLabel, addonClusterLabel))
    .watches(Manifests, labelled(clusterLabel, addonClusterLabel))
    .watches(Kustomization, labelled(clusterLabel))
    .watches(kinds.OpenStackMachine, labelled(capiClusterLabel))
    .source(tenants.source)
    .finalize(names.finalizer, (context) => cleanUpCluster(context, parts))
    .notFound(({ key }) => {
      tenants.observe(key, undefined);
      statusPace.forget(key);
    });
  for (const kind of [kinds.CapiCluster, kinds.KubeadmControlPlane, kinds.Machine])
    builder = builder.watches(kind, labelled(clusterLabel));
  return builder.reconcile((context) => reconcileCluster(context, parts));
}

/** The Clusters that the labels of an object name, in its namespace. */
function labelled(...labels: readonly string[]): (object: Stored) => readonly ObjectKey[] {
  return ({ metadata }) => {
    const { namespace = "" } = metadata;
    const clusters = labels.map((label) => metadata.labels?.[label]).filter((name) => name !== undefined);
    return [...new Set(clusters)].map((name) => ({ namespace, name }));
  };
}

/** The Clusters that an index of them finds by the name of an object; in its namespace, if it has one. */
function indexed({ kinds }: ClusterParts, index: string) {
  return async ({ metadata }: Stored, { client }: HandlerContext): Promise<readonly ObjectKey[]> => {
    const { namespace, name } = metadata;
    const fieldSelector = `${index}=${name}`;
    const ofNamespace = namespace === undefined ? {} : { namespace };
    return (await client.list(kinds.Cluster, { ...ofNamespace, fieldSelector })).items.map(keyOfCluster);
  };
}

function clustersOfNamespace({ kinds }: ClusterParts) {
  return async ({ metadata }: KubeObject, { client }: HandlerContext): Promise<readonly ObjectKey[]> => {
    const { namespace = "" } = metadata;
    return (await client.list(kinds.Cluster, { namespace })).items.map(keyOfCluster);
  };
}

function keyOfCluster({ metadata: { namespace, name } }: Stored<Cluster>): ObjectKey {
  return { namespace, name };
}

/** What belongs to a Cluster has its labels; and the last handled spec may be removed to have it handled again. */
function metadataCounts(lastHandledAnnotation: string): Predicate<Cluster> {
  return {
    update: ({ old, object }) =>
      old.metadata.annotations?.[lastHandledAnnotation] !==
        object.metadata.annotations?.[lastHandledAnnotation] ||
      JSON.stringify(old.metadata.labels) !== JSON.stringify(object.metadata.labels),
  };
}
