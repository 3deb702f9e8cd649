import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

it("the lockfile names no place to download from, so that it works behind any registry", async () => {
  const lockfile = await readFile(new URL("../package-lock.json", import.meta.url), "utf8");
  expect(lockfile.match(/"resolved": "\w+:.*"/)).toBeNull();
});
