import { type DevFlags, devSettings } from "../dev/dev-settings.ts";
import type { Display } from "../dev/display.ts";
import { plainDisplay } from "../dev/plain-display.ts";
import { play } from "../dev/play.ts";
import { type Terminal, terminalDisplay } from "../dev/terminal-display.ts";
import type { LogStream } from "../run/run-logger.ts";

export interface DevSurroundings {
  /** Ends the command, in whatever it is doing. */
  readonly signal: AbortSignal;
  readonly stdout: LogStream & Terminal;
  readonly stderr: LogStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where paths begin. */
  readonly folder: string;
  /** Of this command. */
  readonly version: string;
}

/**
 * `keelson dev`: runs operators and their samples on the embedded control plane, and shows how they get on, until the signal
 * aborts or, if that is asked for, until the samples are settled. Whatever comes of it, nothing is left running.
 */
export async function dev(
  names: readonly string[],
  flags: DevFlags,
  surroundings: DevSurroundings,
): Promise<void> {
  const { signal, folder, version, stderr } = surroundings;
  const settings = devSettings(flags, folder);
  try {
    await play(names, settings, { signal, folder, version, display: displayOn(surroundings) });
  } catch (error) {
    // Being told to stop is how this command ends.
    if (!signal.aborted) throw error;
  }
  const { data } = settings.cluster;
  const kept = data === undefined ? "" : `; its data is in ${data}`;
  if (signal.aborted) stderr.write(`stopped; nothing is left running${kept}\n`);
}

function displayOn({ stdout, stderr, env }: DevSurroundings): Display {
  if (stdout.isTTY !== true || env.TERM === "dumb") return plainDisplay({ stdout, stderr });
  const hasColors = (env.NO_COLOR ?? "") === "";
  return terminalDisplay({ terminal: stdout, hasColors, nowMs: () => Date.now() });
}
