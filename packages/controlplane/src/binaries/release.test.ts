import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { pinnedRelease, releaseFolderName } from "./release.ts";

it("is the release that the go module builds, staging modules included", async () => {
  const goMod = await readFile(new URL("../../go/go.mod", import.meta.url), "utf8");
  const required = /\tk8s\.io\/kubernetes (v\S+)/.exec(goMod)?.[1];
  const replaced = new Set(
    [...goMod.matchAll(/\tk8s\.io\/\S+ => k8s\.io\/\S+ (v\S+)/g)].map((match) => match[1]),
  );
  expect(required).toBe(pinnedRelease.kubernetes);
  expect([...replaced]).toEqual([pinnedRelease.kubernetes.replace("v1.", "v0.")]);
});

it("has a cache folder per version and platform", () => {
  expect(releaseFolderName(pinnedRelease, { os: "linux", arch: "arm64" })).toBe(
    `kubernetes-${pinnedRelease.kubernetes}-linux-arm64`,
  );
});
