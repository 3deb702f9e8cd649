import type { DevFlags } from "../dev/dev-settings.ts";
import { describeFailure } from "../failure.ts";
import { stopOnSignals } from "../stop-on-signals.ts";
import { dev } from "./dev.ts";
import { endProcess } from "./end-process.ts";

/** `keelson dev` as this process. An operator that leaves something running behind cannot keep it alive. */
export async function devCommand(names: readonly string[], flags: DevFlags, version: string): Promise<void> {
  const { stdout, stderr, env } = process;
  const signal = stopOnSignals(process);
  let code = 0;
  try {
    await dev(names, flags, { signal, stdout, stderr, env, folder: process.cwd(), version });
  } catch (error) {
    code = 1;
    stderr.write(`${describeFailure(error)}\n`);
  }
  await endProcess(code);
}
