import type { Reader } from "@keelson/client";
import { keyOf, type ObjectOfKind } from "@keelson/core";

/**
 * Whether an object is there and not on its way out. Asked of the server, it is known even if the watch lags. By a list,
 * because whoever watches a kind may list it.
 */
export async function isStillThere(live: Reader, { object, resource }: ObjectOfKind): Promise<boolean> {
  const { name, namespace } = keyOf(object);
  const { items } = await live.list(resource, {
    ...(namespace !== undefined && { namespace }),
    fieldSelector: `metadata.name=${name}`,
  });
  const { uid } = object.metadata;
  return items.some(({ metadata }) => metadata.uid === uid && metadata.deletionTimestamp === undefined);
}
