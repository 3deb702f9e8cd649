// Writes the API report of every published package, from the declarations in `dist`. With `--check` it writes nothing
// and fails if a report is not up to date.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { apiReports } from "./report.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const check = process.argv.includes("--check");

for (const { path, text } of apiReports(root)) {
  const file = `${root}${path}`;
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (before === text) continue;
  if (check) {
    console.error(
      `${path} is not up to date${firstChange(before, text)}. Run: npm run api-report, and commit it.`,
    );
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    console.log(`api-report: wrote ${path}`);
  }
}

/** The first line that only one of the two has, as a hint. */
function firstChange(before: string, after: string): string {
  const known = new Set(before.split("\n"));
  const added = after.split("\n").find((line) => !known.has(line));
  if (added !== undefined) return ` (new: ${added.trim()})`;
  const kept = new Set(after.split("\n"));
  const removed = before.split("\n").find((line) => !kept.has(line));
  return removed === undefined ? "" : ` (removed: ${removed.trim()})`;
}
