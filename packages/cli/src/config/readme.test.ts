import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { settingsTable } from "../../test/support/settings-table.ts";
import { runSettings } from "./run-config.ts";

it("is listed in the README as it is", async () => {
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  expect(readme).toContain(settingsTable(runSettings));
});
