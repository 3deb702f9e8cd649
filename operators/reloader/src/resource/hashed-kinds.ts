import { cacheKind, metadataOnly, type Resource } from "keelson";
import { type CachedKind, ifServed, projected } from "keelson/cache";
import { ConfigMap, Secret } from "keelson/kinds/core/v1";
import { formatLabelSelector, type PartialObjectMetadata } from "keelson/low-level";
import type { AnnotationKeys } from "../api/annotation-keys.ts";
import type { ReloaderSettings } from "../settings.ts";
import {
  type HashedMount,
  type HashedResource,
  hashConfigMap,
  hashMount,
  hashSecret,
  unwatchedSecretTypes,
} from "./hashed-resource.ts";
import { SecretProviderClass, SecretProviderClassPodStatus } from "./secret-provider-class.ts";

/** The kinds that are watched, reduced to hashes; undefined for one that the settings leave out. */
export interface HashedKinds {
  readonly secrets: Resource<HashedResource> | undefined;
  readonly configMaps: Resource<HashedResource> | undefined;
  /** What the Secrets Store CSI driver mounts. The API server may not serve these kinds. */
  readonly mounts: MountKinds | undefined;
}

/** The kinds of the Secrets Store CSI driver. */
export interface MountKinds {
  readonly podStatuses: Resource<HashedMount>;
  readonly classes: Resource<PartialObjectMetadata>;
}

const projection = "reloader";

/** The kinds that the settings ask for. */
export function hashedKinds(
  settings: Pick<ReloaderSettings, "resourcesToIgnore" | "csi">,
  keys: AnnotationKeys,
): HashedKinds {
  const { resourcesToIgnore, csi } = settings;
  return {
    secrets: resourcesToIgnore.includes("Secret")
      ? undefined
      : projected(Secret, { name: projection, project: (secret) => hashSecret(secret, keys) }),
    configMaps: resourcesToIgnore.includes("ConfigMap")
      ? undefined
      : projected(ConfigMap, { name: projection, project: (configMap) => hashConfigMap(configMap, keys) }),
    mounts: csi
      ? {
          podStatuses: projected(ifServed(SecretProviderClassPodStatus), {
            name: projection,
            project: hashMount,
          }),
          classes: metadataOnly(ifServed(SecretProviderClass)),
        }
      : undefined,
  };
}

/**
 * What of the kinds is cached: the server sends only what the label selector of the settings selects, and no Secrets that are not watched.
 * The objects of the CSI driver do not have labels of users.
 */
export function hashedCache(
  { secrets, configMaps }: HashedKinds,
  { resourceLabelSelector }: Pick<ReloaderSettings, "resourceLabelSelector">,
): readonly CachedKind[] {
  const selected =
    resourceLabelSelector === undefined ? {} : { labelSelector: formatLabelSelector(resourceLabelSelector) };
  const fieldSelector = unwatchedSecretTypes.map((type) => `type!=${type}`).join(",");
  return [
    ...(secrets === undefined ? [] : [cacheKind(secrets, { ...selected, fieldSelector })]),
    ...(configMaps === undefined ? [] : [cacheKind(configMaps, selected)]),
  ];
}
