import type { Stored } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import type { ClusterSpec } from "../api/cluster.ts";
import { addonClusterLabel, clusterLabel, namesOf } from "../api/names.ts";
import { HelmRelease, Kustomization, Manifests } from "../neighbours/addons.ts";
import type { Machine } from "../neighbours/cluster-api.ts";
import type { Realm } from "../neighbours/identity.ts";
import { Lease } from "../neighbours/scheduling.ts";
import type { ObservedCluster } from "../status/cluster-status.ts";
import type { ClusterContext, ClusterParts } from "./parts.ts";

/** Everything around a Cluster, from the caches. */
export interface Surroundings extends Omit<ObservedCluster, "kubeconfigSecretName" | "services"> {
  readonly lease: Stored<Lease> | undefined;
  readonly realm: Stored<Realm> | undefined;
  /** With the certificate of an administrator. */
  readonly kubeconfigSecret: Stored<Secret> | undefined;
  /** The HelmReleases and Manifests that the addon provider has installed in the tenant cluster, apps included. */
  readonly installed: {
    readonly helmReleases: readonly Stored<HelmRelease>[];
    readonly manifests: readonly Stored<Manifests>[];
  };
}

export async function observeSurroundings(
  context: ClusterContext,
  { kinds }: ClusterParts,
  spec: ClusterSpec,
): Promise<Surroundings> {
  const { client, find, object } = context;
  const { namespace, name } = object.metadata;
  const ofChart = { namespace, labelSelector: `${clusterLabel}=${name}` };
  const installed = { namespace, labelSelector: `${addonClusterLabel}=${name}` };
  const [capiClusters, controlPlanes, machines] = await Promise.all([
    client.list(kinds.CapiCluster, ofChart),
    client.list(kinds.KubeadmControlPlane, ofChart),
    client.list(kinds.Machine, ofChart),
  ]);
  return {
    lease: spec.leaseName === undefined ? undefined : await find(Lease, spec.leaseName),
    realm: await findRealm(context, kinds.Realm, spec),
    kubeconfigSecret: await find(Secret, namesOf(name).kubeconfigSecret),
    capiCluster: capiClusters.items[0],
    controlPlane: controlPlanes.items[0],
    machines: await Promise.all(
      machines.items.map(async (machine) => ({
        machine,
        flavor: await flavorOf(context, kinds.OpenStackMachine, machine),
      })),
    ),
    helmReleases: (await client.list(HelmRelease, ofChart)).items,
    manifests: (await client.list(Manifests, ofChart)).items,
    kustomizations: (await client.list(Kustomization, ofChart)).items,
    installed: {
      helmReleases: (await client.list(HelmRelease, installed)).items,
      manifests: (await client.list(Manifests, installed)).items,
    },
  };
}

/** The Realm that the spec names, or else the first one of the namespace by name. */
export async function findRealm(
  { client, find, object }: Pick<ClusterContext, "client" | "find" | "object">,
  kind: ClusterParts["kinds"]["Realm"],
  { zenithIdentityRealmName }: Pick<ClusterSpec, "zenithIdentityRealmName">,
): Promise<Stored<Realm> | undefined> {
  if (zenithIdentityRealmName !== undefined) return find(kind, zenithIdentityRealmName);
  const { items } = await client.list(kind, { namespace: object.metadata.namespace });
  return items.toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))[0];
}

/** The flavor of the machine in the cloud; undefined if it is not known, or not of OpenStack. */
async function flavorOf(
  { find }: ClusterContext,
  kind: ClusterParts["kinds"]["OpenStackMachine"],
  { metadata, spec }: Stored<Machine>,
): Promise<string | undefined> {
  const { kind: referred, name, namespace = metadata.namespace } = spec?.infrastructureRef ?? {};
  if (referred !== kind.kind || name === undefined) return undefined;
  return (await find(kind, { namespace, name }))?.spec?.flavor;
}
