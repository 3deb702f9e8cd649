import { find, type Reader, type Stored } from "keelson";
import { isNewer } from "keelson/low-level";
import type { HashedKinds, MountKinds } from "./hashed-kinds.ts";
import type { HashedMount, HashedResource } from "./hashed-resource.ts";
import type { ResourceKind, ResourceReader, WatchedResource } from "./watched-resource.ts";

/** When a mount was created: before any record, since the pods that mount it were started with it. */
const alwaysExisted = "1970-01-01T00:00:00Z";

/** Reads watched resources by a reader of their hashes, which is a cache. */
export function resourceReader(reader: Reader, kinds: HashedKinds): ResourceReader {
  const hashed = (kind: ResourceKind) => (kind === "Secret" ? kinds.secrets : kinds.configMaps);
  return {
    async get({ kind, namespace, name }) {
      if (kind === "SecretProviderClass")
        return (await mountsOf(reader, kinds.mounts, namespace)).find((mount) => mount.name === name);
      const resource = hashed(kind);
      const object = resource && (await find(reader, resource, { namespace, name }));
      return object && watchedResource(kind, object);
    },
    async list(kind, namespace) {
      if (kind === "SecretProviderClass") return mountsOf(reader, kinds.mounts, namespace);
      const resource = hashed(kind);
      const items = resource === undefined ? [] : (await reader.list(resource, { namespace })).items;
      return items.flatMap((object) => watchedResource(kind, object) ?? []);
    },
  };
}

/** Undefined if it has no hash, and so is not watched. */
function watchedResource(
  kind: ResourceKind,
  { metadata, hash, upstreamHash }: Stored<HashedResource>,
): WatchedResource | undefined {
  if (hash === undefined || upstreamHash === undefined) return undefined;
  const { namespace, name, labels = {}, annotations = {}, creationTimestamp } = metadata;
  return { kind, namespace, name, hash, upstreamHash, labels, annotations, creationTimestamp };
}

/**
 * What the SecretProviderClasses of a namespace mount: of each what the driver reported last. The driver updates the pods one after
 * the other, so that older reports are of content that is being replaced.
 */
async function mountsOf(
  reader: Reader,
  served: MountKinds | undefined,
  namespace: string,
): Promise<readonly WatchedResource[]> {
  if (served === undefined) return [];
  const newest = new Map<string, Stored<HashedMount>>();
  for (const mount of (await reader.list(served.podStatuses, { namespace })).items) {
    if (mount.secretProviderClass === undefined || mount.hash === undefined) continue;
    const other = newest.get(mount.secretProviderClass);
    if (other === undefined || isNewer(mount.metadata.resourceVersion, other.metadata.resourceVersion))
      newest.set(mount.secretProviderClass, mount);
  }
  const found: WatchedResource[] = [];
  for (const [name, { hash, upstreamHash }] of newest) {
    if (hash === undefined || upstreamHash === undefined) continue;
    const metadata = (await find(reader, served.classes, { namespace, name }))?.metadata;
    const { labels = {}, annotations = {} } = metadata ?? {};
    const creationTimestamp = alwaysExisted;
    found.push({
      kind: "SecretProviderClass",
      namespace,
      name,
      hash,
      upstreamHash,
      labels,
      annotations,
      creationTimestamp,
    });
  }
  return found;
}
