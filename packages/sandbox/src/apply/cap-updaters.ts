import { union } from "./field-set.ts";
import { compareTexts, type Owner, type Owners, ownerKey } from "./managers.ts";

const maxUpdaters = 10;

/**
 * Limits the number of owners by update: the oldest ones of the same version are merged under the name
 * `ancient-changes`. Appliers are never merged.
 */
export function capUpdaters(owners: Owners): void {
  const updaters = [...owners].filter(([, owner]) => owner.operation === "Update");
  if (updaters.length <= maxUpdaters) return;
  updaters.sort(
    ([a, left], [b, right]) => compareTexts(left.time ?? "", right.time ?? "") || compareTexts(a, b),
  );
  let count = updaters.length;
  const firstOfVersion = new Map<string, string>();
  for (const [key, owner] of updaters) {
    if (count <= maxUpdaters) return;
    const first = firstOfVersion.get(owner.apiVersion);
    if (first === undefined) firstOfVersion.set(owner.apiVersion, key);
    else {
      putTogether(owners, first, key, owner);
      count -= 1;
    }
  }
}

function putTogether(owners: Owners, first: string, key: string, owner: Owner): void {
  const { entry: _entry, ...rest } = owner;
  const bucket = { ...rest, manager: "ancient-changes", subresource: "" };
  const bucketKey = ownerKey(bucket);
  const ancient = owners.get(bucketKey) ?? owners.get(first);
  if (!owners.has(bucketKey)) owners.delete(first);
  owners.delete(key);
  owners.set(bucketKey, ancient === undefined ? bucket : { ...bucket, set: union(owner.set, ancient.set) });
}
