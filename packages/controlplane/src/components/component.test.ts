import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { logTail } from "./component.ts";

it("puts the last lines of a log into an error, however long the log is", async () => {
  const file = join(await tempFolder(), "log");
  const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}`);
  await writeFile(file, `${lines.join("\n")}\n`);
  expect(await logTail(file)).toBe(lines.slice(-25).join("\n"));
});

it("states that a log is empty or does not exist", async () => {
  const file = join(await tempFolder(), "log");
  expect(await logTail(file)).toBe("(the log does not exist)");
  await writeFile(file, "");
  expect(await logTail(file)).toBe("(the log is empty)");
});
