import type { KubeObject, Resource } from "keelson";
import type { NamespacedMeta } from "keelson/low-level";

interface ValuesSource {
  readonly secret?: { readonly name: string; readonly key?: string };
  readonly template?: string;
}

interface ManifestSource {
  readonly secret?: {
    readonly name: string;
    readonly keys?: readonly string[];
    readonly excludeKeys?: readonly string[];
  };
  readonly template?: string;
}

export interface AddonResource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** A HelmRelease, which has a chart, or Manifests. */
export interface Addon extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec: {
    readonly clusterName: string;
    readonly bootstrap?: boolean;
    readonly targetNamespace: string;
    readonly releaseName?: string | null;
    readonly paused?: boolean;
    readonly chart?: { readonly repo: string; readonly name: string; readonly version: string };
    readonly valuesSources?: readonly ValuesSource[];
    readonly manifestSources?: readonly ManifestSource[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly revision?: number;
    readonly resources?: readonly AddonResource[];
    readonly failureMessage?: string;
  };
}

const api = { group: "addons.stackhpc.com", version: "v1alpha1", scope: "Namespaced" } as const;
export const HelmRelease: Resource<Addon> = { ...api, kind: "HelmRelease", plural: "helmreleases" };
export const Manifests: Resource<Addon> = { ...api, kind: "Manifests", plural: "manifests" };
