import type { KubeObject, Resource } from "keelson";
import type { NamespacedMeta } from "keelson/low-level";
import type { MountedObject } from "./content-hash.ts";

const group = { group: "secrets-store.csi.x-k8s.io", version: "v1", scope: "Namespaced" } as const;

/** What the Secrets Store CSI driver mounts, by name. Its annotations count; its spec is not read. */
export interface SecretProviderClass extends KubeObject {
  readonly metadata: NamespacedMeta;
}

export const SecretProviderClass: Resource<SecretProviderClass> = {
  ...group,
  kind: "SecretProviderClass",
  plural: "secretproviderclasses",
};

/** What the driver has mounted into one pod. */
export interface SecretProviderClassPodStatus extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly status?: {
    readonly podName?: string;
    readonly secretProviderClassName?: string;
    readonly mounted?: boolean;
    readonly targetPath?: string;
    readonly objects?: readonly MountedObject[];
  };
}

export const SecretProviderClassPodStatus: Resource<SecretProviderClassPodStatus> = {
  ...group,
  kind: "SecretProviderClassPodStatus",
  plural: "secretproviderclasspodstatuses",
};
