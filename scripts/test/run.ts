// Runs the levels of tests that are named, or all: `run.ts [unit] [embedded] [conformance] [cluster] [vitest arguments]`.
import {
  BinariesUnavailableError,
  ControlPlaneError,
  findBinaries,
  ProgressLine,
} from "@keelson/controlplane";
import { parseCLI, startVitest } from "vitest/node";
import { type LeftOut, type Level, levelsOnRealServer, splitArguments } from "./levels.ts";
import { closingLines, countTests } from "./summary.ts";

const clusterIsRequired = process.env.KEELSON_REQUIRE_CLUSTER === "1";

/** Gets the control plane before the first test starts: a build takes minutes and wants a line of its own. */
async function missingControlPlane(): Promise<string | undefined> {
  const progress = new ProgressLine(process.stderr);
  try {
    await findBinaries({ onProgress: progress.report });
    return undefined;
  } catch (error) {
    if (error instanceof BinariesUnavailableError) return error.message;
    throw error;
  } finally {
    progress.end();
  }
}

async function runTests(chosen: readonly Level[], rest: readonly string[]): Promise<void> {
  const leftOut: LeftOut[] = [];
  let runnable = chosen;
  const onRealServer = chosen.filter((level) => levelsOnRealServer.has(level));
  const reason = onRealServer.length > 0 ? await missingControlPlane() : undefined;
  if (reason !== undefined) {
    runnable = chosen.filter((level) => !levelsOnRealServer.has(level));
    leftOut.push(...onRealServer.map((level) => ({ level, reason })));
  }
  let counts = { passed: 0, failed: 0, skipped: 0 };
  if (runnable.length > 0) {
    const { filter, options } = parseCLI(["vitest", "run", ...rest]);
    const vitest = await startVitest("test", filter, { ...options, watch: false, project: [...runnable] });
    counts = countTests(vitest.state.getTestModules(), vitest.state.getUnhandledErrors());
    await vitest.close();
  }
  const leftOutIsFailure = leftOut.length > 0 && (clusterIsRequired || runnable.length === 0);
  if (leftOutIsFailure || counts.failed > 0) process.exitCode = 1;
  for (const line of closingLines(counts, leftOut, clusterIsRequired)) console.log(line);
}

const { chosen, rest } = splitArguments(process.argv.slice(2));
try {
  await runTests(chosen, rest);
} catch (error) {
  // A mistake of the user, such as a wrong KUBEBUILDER_ASSETS: the message is enough.
  if (!(error instanceof ControlPlaneError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
