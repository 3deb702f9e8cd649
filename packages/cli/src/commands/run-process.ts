import { runUntilSignal } from "keelson";
import { describeFailure } from "../failure.ts";
import { withoutEchoes } from "../without-echoes.ts";
import { endProcess } from "./end-process.ts";
import { run } from "./run.ts";

/**
 * `keelson run` as this process: ends it with 0 when it was told to stop and everything has ended, with 1 otherwise. An
 * operator that leaves something running behind cannot keep it alive.
 */
export async function runCommand(args: readonly string[], version: string): Promise<void> {
  const { stdout, stderr, env } = process;
  const command = {
    run: (signal: AbortSignal) => run(args, { signal, stdout, env, folder: process.cwd(), version }),
  };
  let code = 0;
  try {
    await runUntilSignal(
      command,
      withoutEchoes(process, () => performance.now()),
    );
  } catch (error) {
    code = 1;
    stderr.write(`${describeFailure(error)}\n`);
  }
  await endProcess(code);
}
