import { type AppTemplateKind, appTemplateKind } from "./api/app-template.ts";
import { type ClusterKind, clusterKind } from "./api/cluster.ts";
import { type ClusterTemplateKind, clusterTemplateKind } from "./api/cluster-template.ts";
import { type ClusterApiKinds, clusterApiKinds } from "./neighbours/cluster-api.ts";
import { type IdentityKinds, identityKinds } from "./neighbours/identity.ts";
import type { AzimuthSettings } from "./settings.ts";

/** The kinds whose groups and versions are settings: those of the operator itself, and those of its neighbours. */
export interface Kinds extends IdentityKinds, ClusterApiKinds {
  readonly Cluster: ClusterKind;
  readonly ClusterTemplate: ClusterTemplateKind;
  readonly AppTemplate: AppTemplateKind;
}

export function kindsOf(
  settings: Pick<AzimuthSettings, "apiGroup" | "crdCategories" | "identity" | "clusterApi">,
): Kinds {
  return {
    Cluster: clusterKind(settings),
    ClusterTemplate: clusterTemplateKind(settings),
    AppTemplate: appTemplateKind(settings),
    ...identityKinds(settings.identity.apiVersion),
    ...clusterApiKinds(settings.clusterApi),
  };
}
