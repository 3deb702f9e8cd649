import { abortable } from "keelson/low-level";
import { settingSections } from "../config/help-text.ts";
import type { Environment } from "../config/read-environment.ts";
import { readSources } from "../config/read-sources.ts";
import { resolveOperatorSettings } from "../config/resolve-config.ts";
import { runSettings } from "../config/run-config.ts";
import { type DevFlags, devSettings } from "../dev/dev-settings.ts";
import type { Display } from "../dev/display.ts";
import { plainDisplay } from "../dev/plain-display.ts";
import { runDev } from "../dev/run-dev.ts";
import { type Terminal, terminalDisplay } from "../dev/terminal-display.ts";
import { endProcessAfter } from "../failure.ts";
import { bundledOperators, type LoadedOperator, loadOperators } from "../operators/load-operators.ts";
import type { LogStream } from "../run/run-logger.ts";
import { stopOnSignals } from "../signals.ts";

/** The command as commander knows it. */
export interface DevCommand {
  readonly version: string;
  /** Its help, without the settings of operators. */
  readonly help: string;
  /** Its own flags, which may be meant by an unknown one. */
  readonly known: readonly string[];
}

interface DevDependencies extends DevCommand {
  /** Ends the command, in whatever it is doing. */
  readonly signal: AbortSignal;
  readonly stdout: LogStream & Terminal;
  readonly stderr: LogStream;
  readonly env: Environment;
  /** The base of relative paths. */
  readonly folder: string;
}

/** `keelson dev` as this process. */
export async function devCommand(
  args: readonly string[],
  flags: DevFlags,
  command: DevCommand,
): Promise<void> {
  const { stdout, stderr, env } = process;
  const signal = stopOnSignals(process);
  await endProcessAfter(dev(args, flags, { ...command, signal, stdout, stderr, env, folder: process.cwd() }));
}

/**
 * `keelson dev`: runs operators and their samples on the embedded control plane, and shows their progress, until the signal
 * aborts or, with `--exit-when-settled`, until the samples are settled. In each case nothing is left running.
 * `args` are the operators and the flags of their settings.
 */
async function dev(args: readonly string[], flags: DevFlags, dependencies: DevDependencies): Promise<void> {
  const { signal, folder, version, env, stdout, stderr } = dependencies;
  const settings = devSettings(flags, folder);
  try {
    const { readings, operators, settings: ofOperators } = await readOperators(args, flags, dependencies);
    if (flags.help === true) {
      stdout.write(`${[dependencies.help.trimEnd(), ...settingSections(ofOperators)].join("\n\n")}\n`);
      return;
    }
    const values = operators.map(({ operator }) => operator);
    const operatorSettings = resolveOperatorSettings("dev", readings, values);
    const display = displayOn(dependencies);
    await runDev(values, { ...settings, operatorSettings }, { signal, folder, version, env, display });
  } catch (error) {
    // A signal is how this command ends.
    if (!signal.aborted) throw error;
  }
  const { data } = settings.cluster;
  const kept = data === undefined ? "" : `; its data is in ${data}`;
  if (signal.aborted) stderr.write(`stopped; nothing is left running${kept}\n`);
}

function readOperators(
  args: readonly string[],
  flags: DevFlags,
  { env, folder, signal, known }: DevDependencies,
): ReturnType<typeof readSources> {
  const load = (names: readonly string[]): Promise<readonly LoadedOperator[]> => {
    const chosen = names.length === 0 ? [...bundledOperators.keys()] : names;
    return abortable(loadOperators(chosen, { bundled: bundledOperators, folder }), signal);
  };
  // A file may be that of `keelson run`, whose own settings have no effect here.
  return readSources({
    ...{ args, env, own: [], fileSettings: runSettings, load },
    configPath: flags.config,
    flags: { actions: [], known },
  });
}

function displayOn({ stdout, stderr, env }: DevDependencies): Display {
  if (stdout.isTTY !== true || env.TERM === "dumb") return plainDisplay({ stdout, stderr });
  const hasColors = (env.NO_COLOR ?? "") === "";
  return terminalDisplay({ terminal: stdout, hasColors, nowMs: () => Date.now() });
}
