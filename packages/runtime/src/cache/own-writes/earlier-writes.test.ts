import { Deployment } from "@keelson/core/kinds/apps/v1";
import { ConfigMap, Secret } from "@keelson/core/kinds/core/v1";
import { expect, it } from "vitest";
import { EarlierWrites } from "./earlier-writes.ts";

it("[RW1] remembers the latest version of each kind, whatever its API version", () => {
  const writes = new EarlierWrites();
  for (const version of ["9", "10", "8", "x"]) writes.recordVersion(Deployment, version);
  expect(writes.versionOf({ ...Deployment, version: "v2" })).toBe("10");
  expect(writes.versionOf(ConfigMap)).toBeUndefined();
});

it("[RW5] remembers 1024 kinds, those that were written last", () => {
  const writes = new EarlierWrites();
  const kind = (index: number) => ({ ...ConfigMap, plural: `kind-${index}` });
  for (let index = 0; index < 1024; index += 1) writes.recordVersion(kind(index), "1");
  writes.recordVersion(kind(0), "2");
  writes.recordVersion(kind(1024), "1");
  expect(writes.versionOf(kind(0))).toBe("2");
  expect(writes.versionOf(kind(1))).toBeUndefined();
  expect(writes.versionOf(kind(1024))).toBe("1");
});

it("[RW2] remembers the deletions of a kind since a moment", () => {
  const writes = new EarlierWrites();
  const deleted = (uid: string) =>
    ({ type: "deleted", key: { namespace: "shop", name: "web" }, uid }) as const;
  writes.recordDeletion(ConfigMap, deleted("u1"), 1_000);
  writes.recordDeletion(ConfigMap, deleted("u2"), 2_000);
  writes.recordDeletion(Secret, deleted("u3"), 2_000);
  const uids = [...writes.deletionsSince(ConfigMap, 1_500)].map(({ outcome }) => outcome.uid);
  expect(uids).toEqual(["u2"]);
});
