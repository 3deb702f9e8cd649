// Plays the conformance cases on the embedded and on the real server: `run.ts [--count] [vitest arguments]`.
// With `--count` it only prints their number.
import { caseGroups } from "@keelson/conformance";
import { parseCLI, startVitest } from "vitest/node";

const args = process.argv.slice(2);

if (args.includes("--count")) {
  console.log(caseGroups.reduce((count, { cases }) => count + cases.length, 0));
} else {
  const { filter, options } = parseCLI(["vitest", "run", ...args]);
  const vitest = await startVitest("test", filter, { ...options, watch: false, project: ["conformance"] });
  await vitest.close();
}
