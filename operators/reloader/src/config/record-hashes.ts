import { type ApiUse, find, mergePatch, type ObjectContext, type Resource, usesOf } from "keelson";
import { ConfigMap, Secret } from "keelson/kinds/core/v1";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import { listedNames } from "../decision/config-match.ts";
import type { HashedResource } from "../resource/hashed-resource.ts";
import type { ReloaderParts } from "../workload/parts.ts";

/** What recording hashes uses of the API, beyond what the operator uses without it. */
export const recordHashUses: readonly ApiUse[] = [
  ...usesOf(Secret, ["patch"]),
  ...usesOf(ConfigMap, ["patch"]),
];

/**
 * Writes the annotation `last-hash` to the Secrets and ConfigMaps that a ReloaderConfig names, if the settings ask for it. A write
 * fails if the resource has changed since it was read; its change enqueues the ReloaderConfig.
 */
export async function recordHashes(
  context: Pick<ObjectContext<ReloaderConfig>, "object" | "client">,
  { settings, hashedKinds, keys }: Pick<ReloaderParts, "settings" | "hashedKinds" | "keys">,
): Promise<void> {
  if (!settings.recordHashOnResources) return;
  const kinds = [
    ["Secret", Secret, hashedKinds.secrets],
    ["ConfigMap", ConfigMap, hashedKinds.configMaps],
  ] as const;
  for (const [kind, whole, hashed] of kinds)
    for (const name of new Set(listedNames(context.object, kind)))
      if (hashed !== undefined) await recordHash(context, name, { whole, hashed, annotation: keys.lastHash });
}

async function recordHash(
  { object, client }: Pick<ObjectContext<ReloaderConfig>, "object" | "client">,
  name: string,
  {
    whole,
    hashed,
    annotation,
  }: {
    readonly whole: Resource;
    readonly hashed: Resource<HashedResource>;
    readonly annotation: string;
  },
): Promise<void> {
  const key = { namespace: object.metadata.namespace, name };
  const resource = await find(client, hashed, key);
  if (resource?.hash === undefined) return;
  const {
    hash,
    metadata: { uid, resourceVersion, annotations },
  } = resource;
  if (annotations?.[annotation] === hash) return;
  const metadata = { uid, resourceVersion, annotations: { [annotation]: hash } };
  await client.patch(whole, key, mergePatch({ metadata }));
}
