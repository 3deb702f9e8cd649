import { expect, it } from "vitest";
import { annotationKeys } from "../api/annotation-keys.ts";
import { unrecordedReload } from "../reload/patch.ts";
import { settledStatus } from "./record-status.ts";

const keys = annotationKeys();

it("a reload in the second of the adoption, but before it, does not count as one that is not recorded", () => {
  const adoptedMs = Date.parse("2026-11-18T10:00:00.900Z");
  const status = settledStatus({ before: {}, kept: {}, nowMs: adoptedMs });
  const shownAt = (time: string) => {
    const annotations = { [keys.lastReload]: time, [keys.resourceHash]: "hash" };
    const template = { metadata: { annotations } };
    const metadata = { namespace: "shop", name: "web", uid: "uid-1" };
    return unrecordedReload({ kind: "Deployment", metadata, template }, status, keys)?.hash;
  };
  expect(shownAt("2026-11-18T10:00:00.500Z")).toBeUndefined();
  expect(shownAt("2026-11-18T10:00:00.901Z")).toBe("hash");
});
