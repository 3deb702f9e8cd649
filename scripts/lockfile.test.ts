import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

/** A package that comes from an address. A workspace's `resolved` is its folder. */
const download = /"resolved": "[a-z][a-z0-9+.-]*:.*"/;

it("the lockfile names no place to download from, so that it works behind any registry", async () => {
  const lockfile = await readFile(new URL("../package-lock.json", import.meta.url), "utf8");
  expect(lockfile.match(download)).toBeNull();
});

it.each([
  "https://example.org/hull.tgz",
  "git+https://example.org/hull.git",
  "git+ssh://git@example.org/hull",
])("%s is a place to download from", (address) => {
  expect(JSON.stringify({ resolved: address }, null, 2)).toMatch(download);
});
