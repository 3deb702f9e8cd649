import { createHmac } from "node:crypto";
import { cacheKind, type Resource, type Stored } from "keelson";
import { type CachedKind, type Projected, projected } from "keelson/cache";
import { Secret } from "keelson/kinds/core/v1";
import { rotatedAtAnnotation, saltAnnotation, secretLabel } from "../api/names.ts";

/** What the cache keeps of the Secret of a SharedSecret, or of a copy of it: never the content. */
export interface SecretContent {
  /** Differs if the content does; undefined without a salt. */
  readonly version: string | undefined;
  /** When a rotator wrote the content; undefined if none did. */
  readonly rotatedAt: string | undefined;
}

/** Secrets of SharedSecrets and their copies, reduced to the versions of their contents. */
export const VersionedSecret: Resource<Projected<Secret, SecretContent>> = projected(Secret, {
  name: "shared-secret",
  project: contentOf,
});

export type VersionedSecret = Stored<Projected<Secret, SecretContent>>;

/** The server sends no other Secrets. */
export const secretCache: CachedKind = cacheKind(VersionedSecret, { labelSelector: secretLabel });

function contentOf({ metadata, data = {} }: Stored<Secret>) {
  const { annotations = {}, ownerReferences } = metadata;
  return {
    metadata: ownerReferences === undefined ? {} : { ownerReferences },
    version: versionOf(data, annotations[saltAnnotation]),
    rotatedAt: annotations[rotatedAtAnnotation],
  };
}

/**
 * The version of a content. It is shown in the status, so it must not let a guess of the value be checked: it is a keyed
 * hash, whose key only those can read who can read the Secret.
 */
export function versionOf(
  data: Readonly<Record<string, string>>,
  salt: string | undefined,
): string | undefined {
  if (salt === undefined) return undefined;
  const entries = Object.entries(data).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHmac("sha256", salt).update(JSON.stringify(entries)).digest("hex").slice(0, 16);
}
