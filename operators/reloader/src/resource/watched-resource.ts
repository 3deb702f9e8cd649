import type { TypedKey } from "../api/annotation-keys.ts";

/** The kinds whose content is watched. */
export type ResourceKind = TypedKey;

/** Names a watched resource. */
export interface ResourceRef {
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly name: string;
}

/** A Secret, a ConfigMap or what a SecretProviderClass mounts, by the hash of its content. The content is not kept. */
export interface WatchedResource extends ResourceRef {
  /** SHA-256 over the content, in hexadecimal digits; equal content, and only that, has equal hashes. */
  readonly hash: string;
  /** The value that upstream writes for this content into `STAKATER_*` variables. */
  readonly upstreamHash: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Those of ours, such as `ignore` and `match`. */
  readonly annotations: Readonly<Record<string, string>>;
  /** When it was created, RFC 3339. */
  readonly creationTimestamp: string;
}

/** As in `status.watchedResourceHashes`: `default/Secret/db`. */
export function formatRef({ kind, namespace, name }: ResourceRef): string {
  return `${namespace}/${kind}/${name}`;
}

/** The reverse of `formatRef`; undefined for other texts. */
export function parseRef(text: string): ResourceRef | undefined {
  const [namespace, kind, name, ...rest] = text.split("/");
  if (namespace === undefined || name === undefined || rest.length > 0) return undefined;
  return kind === "Secret" || kind === "ConfigMap" || kind === "SecretProviderClass"
    ? { kind, namespace, name }
    : undefined;
}

/** Reads watched resources, by the cache. */
export interface ResourceReader {
  /** Undefined if it does not exist. */
  get(ref: ResourceRef): Promise<WatchedResource | undefined>;
  /** All of a kind in a namespace. */
  list(kind: ResourceKind, namespace: string): Promise<readonly WatchedResource[]>;
}
