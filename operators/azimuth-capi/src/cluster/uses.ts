import { type ApiUse, usesOf } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { Secret, ServiceAccount } from "keelson/kinds/core/v1";
import { Role, RoleBinding } from "keelson/kinds/rbac/v1";
import { HelmRelease, Kustomization, Manifests } from "../neighbours/addons.ts";
import { Lease } from "../neighbours/scheduling.ts";
import type { ClusterParts } from "./parts.ts";

/** What reconciles use of the API beyond what the controller declares: their own reads and writes, and those of Helm. */
export function clusterUses({ kinds }: Pick<ClusterParts, "kinds">): readonly ApiUse[] {
  return [
    ...usesOf(Lease, ["get", "patch"]),
    ...usesOf(HelmRelease, ["patch"]),
    ...usesOf(Manifests, ["patch"]),
    ...usesOfHelm(kinds),
  ];
}

/** As Helm installs, upgrades and deletes; the last two are how Helm 4 waits until something is deleted. */
const helmVerbs = ["get", "create", "patch", "delete", "list", "watch"];
/** What the chart has Helm keep, Cluster API deletes. */
const keptVerbs = ["get", "create", "patch"];

/** The kinds that the charts render, and the Secrets in which Helm keeps its releases. */
function usesOfHelm(kinds: ClusterParts["kinds"]): readonly ApiUse[] {
  const ofGroup = (group: string, plurals: readonly string[], verbs: readonly string[]): readonly ApiUse[] =>
    plurals.flatMap((plural) => usesOf({ group, plural }, verbs));
  const { CapiCluster, KubeadmControlPlane, OpenStackMachine } = kinds;
  const rendered = [
    Secret,
    ServiceAccount,
    Deployment,
    Role,
    RoleBinding,
    HelmRelease,
    Manifests,
    Kustomization,
  ];
  return [
    ...[...rendered, CapiCluster].flatMap((kind) => usesOf(kind, helmVerbs)),
    ...usesOf(Secret, ["update"]),
    // The Role of the autoscaler has permissions that the operator itself has not.
    ...usesOf(Role, ["escalate", "bind"]),
    ...ofGroup(CapiCluster.group, ["machinedeployments", "machinehealthchecks"], helmVerbs),
    ...ofGroup("source.toolkit.fluxcd.io", ["gitrepositories"], helmVerbs),
    ...usesOf(KubeadmControlPlane, keptVerbs),
    ...ofGroup("bootstrap.cluster.x-k8s.io", ["kubeadmconfigtemplates"], keptVerbs),
    ...ofGroup(OpenStackMachine.group, ["openstackclusters", "openstackmachinetemplates"], keptVerbs),
  ];
}
