import type { KubeObject, Stored } from "keelson";
import type { ConfigMap, Secret } from "keelson/kinds/core/v1";
import type { NamespacedMeta } from "keelson/low-level";
import type { AnnotationKeys } from "../api/annotation-keys.ts";
import { contentHashes, mountHashes } from "./content-hash.ts";
import type { SecretProviderClassPodStatus } from "./secret-provider-class.ts";

/**
 * What the cache keeps of a Secret or a ConfigMap: metadata and hashes. Releases of Helm and tokens of service accounts have
 * no hash: they are written by controllers, no pod is started with them, and the former are large.
 */
export interface HashedResource extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly hash?: string;
  readonly upstreamHash?: string;
}

/** What the cache keeps of a SecretProviderClassPodStatus. It has no hash until the driver has mounted something. */
export interface HashedMount extends HashedResource {
  readonly secretProviderClass?: string;
}

/** The types of Secrets that are never watched. */
export const unwatchedSecretTypes = ["helm.sh/release.v1", "kubernetes.io/service-account-token"] as const;

const unwatched: ReadonlySet<string | undefined> = new Set(unwatchedSecretTypes);

/** Reduces a Secret. */
export function hashSecret(secret: Stored<Secret>, keys: AnnotationKeys): Stored<HashedResource> {
  const { apiVersion, kind } = secret;
  const reduced = { apiVersion, kind, metadata: reducedMetadata(secret.metadata, keys) };
  return unwatched.has(secret.type) ? reduced : { ...reduced, ...contentHashes("Secret", secret) };
}

/** Reduces a ConfigMap. */
export function hashConfigMap(configMap: Stored<ConfigMap>, keys: AnnotationKeys): Stored<HashedResource> {
  const { apiVersion, kind } = configMap;
  return {
    ...{ apiVersion, kind, metadata: reducedMetadata(configMap.metadata, keys) },
    ...contentHashes("ConfigMap", configMap),
  };
}

/** Reduces a SecretProviderClassPodStatus. */
export function hashMount(mount: Stored<SecretProviderClassPodStatus>): Stored<HashedMount> {
  const { apiVersion, kind, metadata, status } = mount;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const className = status?.secretProviderClassName;
  return {
    ...{ apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, creationTimestamp } },
    ...(className !== undefined && {
      secretProviderClass: className,
      ...(status?.objects !== undefined && mountHashes(className, status.objects)),
    }),
  };
}

/** All labels, since any may be selected by; of the annotations those that count. */
function reducedMetadata<Meta extends Stored<Secret>["metadata"]>(
  metadata: Meta,
  keys: AnnotationKeys,
): Stored<HashedResource>["metadata"] {
  const { name, namespace, uid, resourceVersion, creationTimestamp, labels } = metadata;
  const annotations = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => key === keys.ignore || key === keys.match || key === keys.lastHash,
  );
  return {
    ...{ name, namespace, uid, resourceVersion, creationTimestamp },
    ...(labels !== undefined && { labels }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
  };
}
