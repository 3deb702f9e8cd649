import type { KubeObject, Resource } from "keelson";
import { ifServed } from "keelson/cache";
import type { NamespacedMeta } from "keelson/low-level";

/** What the addon provider installs in a tenant cluster: a chart or manifests. */
interface Addon extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly status?: { readonly phase?: string; readonly revision?: number };
}

/** An addon that is a chart. One with the label of an AppTemplate is an app of a user. */
export interface HelmRelease extends Addon {
  readonly spec?: {
    readonly clusterName?: string;
    readonly targetNamespace?: string;
    readonly releaseName?: string;
    readonly chart?: { readonly repo?: string; readonly name?: string; readonly version?: string };
  };
}

/** An addon that is a set of manifests. */
export interface Manifests extends Addon {
  readonly spec?: { readonly clusterName?: string };
}

const api = { group: "addons.stackhpc.com", version: "v1alpha1", scope: "Namespaced" } as const;

export const HelmRelease: Resource<HelmRelease> = ifServed({
  ...api,
  kind: "HelmRelease",
  plural: "helmreleases",
});

export const Manifests: Resource<Manifests> = ifServed({ ...api, kind: "Manifests", plural: "manifests" });

/** A Kustomization of Flux, which some addons are. */
export interface Kustomization extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly status?: {
    readonly conditions?: readonly {
      readonly type?: string;
      readonly status?: string;
      readonly observedGeneration?: number;
    }[];
  };
}

export const Kustomization: Resource<Kustomization> = ifServed({
  group: "kustomize.toolkit.fluxcd.io",
  version: "v1",
  kind: "Kustomization",
  plural: "kustomizations",
  scope: "Namespaced",
});
