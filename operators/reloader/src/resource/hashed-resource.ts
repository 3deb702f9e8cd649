import type { KubeObject, ObjectMeta, Stored } from "keelson";
import type { ConfigMap, Secret } from "keelson/kinds/core/v1";
import type { NamespacedMeta } from "keelson/low-level";
import type { AnnotationKeys } from "../api/annotation-keys.ts";
import { type ContentHashes, contentHashes, mountHashes } from "./content-hash.ts";
import type { SecretProviderClassPodStatus } from "./secret-provider-class.ts";

/** What the cache keeps of a Secret or a ConfigMap, beside names, times and labels. It has no hash if it is not watched. */
export interface HashedResource extends KubeObject, Partial<ContentHashes> {
  readonly metadata: NamespacedMeta;
}

/** What the cache keeps of a SecretProviderClassPodStatus. It has no hash until the driver has mounted something. */
export interface HashedMount extends HashedResource {
  readonly secretProviderClass?: string;
}

/**
 * The types of Secrets that are never watched: releases of Helm, which are large and no pod uses, and tokens of service accounts,
 * which the control plane writes.
 */
export const unwatchedSecretTypes: readonly string[] = [
  "helm.sh/release.v1",
  "kubernetes.io/service-account-token",
];

interface HashedFields extends Partial<ContentHashes> {
  readonly metadata: ObjectMeta;
}

/** Reduces a Secret. */
export function hashSecret(secret: Stored<Secret>, keys: AnnotationKeys): HashedFields {
  const metadata = ownAnnotations(secret, keys);
  const isWatched = secret.type === undefined || !unwatchedSecretTypes.includes(secret.type);
  return isWatched ? { metadata, ...contentHashes("Secret", secret) } : { metadata };
}

/** Reduces a ConfigMap. */
export function hashConfigMap(configMap: Stored<ConfigMap>, keys: AnnotationKeys): HashedFields {
  return { metadata: ownAnnotations(configMap, keys), ...contentHashes("ConfigMap", configMap) };
}

/** Reduces a SecretProviderClassPodStatus. */
export function hashMount({ status }: Stored<SecretProviderClassPodStatus>): Partial<ContentHashes> & {
  readonly secretProviderClass?: string;
} {
  const { secretProviderClassName, objects } = status ?? {};
  if (secretProviderClassName === undefined || objects === undefined) return {};
  return {
    secretProviderClass: secretProviderClassName,
    ...mountHashes(secretProviderClassName, objects),
  };
}

/** Of the annotations those that count. */
function ownAnnotations({ metadata }: KubeObject, keys: AnnotationKeys): ObjectMeta {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => key === keys.ignore || key === keys.match || key === keys.lastHash,
  );
  return annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {};
}
