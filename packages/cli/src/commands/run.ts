import { type Logger, runUntilSignal } from "keelson";
import { abortable } from "keelson/low-level";
import { helpText } from "../config/help-text.ts";
import { configText } from "../config/print-config.ts";
import type { Environment } from "../config/read-environment.ts";
import { readSources, type Sources } from "../config/read-sources.ts";
import { resolveConfig } from "../config/resolve-config.ts";
import { runSettings } from "../config/run-config.ts";
import { endProcessAfter } from "../failure.ts";
import { OperatorError } from "../operators/errors.ts";
import {
  bundledOperators,
  type LoadedOperator,
  loadOperators,
  operatorList,
} from "../operators/load-operators.ts";
import { NoOperatorNamedError } from "../run/errors.ts";
import { type LogStream, runLogger } from "../run/run-logger.ts";
import { runOperators } from "../run/run-operators.ts";
import { stopOnUncaughtErrors } from "../run/uncaught-errors.ts";
import { withoutEchoes } from "../signals.ts";

interface RunCommandDependencies {
  /** Ends the command, in whatever it is doing. */
  readonly signal: AbortSignal;
  /** Is called with the logger of the command, once its configuration is known. */
  readonly logTo: (log: Logger) => void;
  readonly stdout: LogStream;
  readonly env: Environment;
  /** The base of relative paths. */
  readonly folder: string;
  /** The version of this command. */
  readonly version: string;
}

/** `keelson run` as this process: ends with 0 when a signal stopped it and everything has ended, with 1 otherwise. */
export async function runCommand(args: readonly string[], version: string): Promise<void> {
  const { stdout, env } = process;
  const folder = process.cwd();
  const command = {
    run: (stop: AbortSignal) =>
      stopOnUncaughtErrors(process, stop, (signal, logTo) =>
        run(args, { signal, logTo, stdout, env, folder, version }),
      ),
  };
  const owner = withoutEchoes(process, () => performance.now());
  await endProcessAfter(runUntilSignal(command, owner));
}

/** `keelson run`: resolves when the signal has aborted and everything has ended in order. */
async function run(args: readonly string[], dependencies: RunCommandDependencies): Promise<void> {
  const { stdout, env, version, folder, signal } = dependencies;
  const load = (names: readonly string[]): Promise<readonly LoadedOperator[]> =>
    abortable(loadOperators(names, { bundled: bundledOperators, folder }), signal);
  try {
    const sources = await readSources({ args, env, own: runSettings, load }).catch((error: unknown) => {
      if (!(error instanceof OperatorError)) throw error;
      return withoutOperators(args, env, error);
    });
    const loaded = sources.operators;
    const operators = loaded.map(({ operator }) => operator);
    if (sources.flags.actions.has("--help")) {
      stdout.write(helpText(sources.settings, operators));
      return;
    }
    const resolved = resolveConfig(sources.readings, operators);
    if (sources.flags.actions.has("--print-config")) {
      stdout.write(configText(resolved, sources.settings));
      return;
    }
    if (loaded.length === 0) throw new NoOperatorNamedError();
    if (sources.flags.actions.has("--list")) {
      stdout.write(operatorList(loaded));
      return;
    }
    const { config, operatorSettings } = resolved;
    const log = runLogger(config, stdout, env);
    dependencies.logTo(log);
    for (const { warnings = [] } of sources.readings) for (const warning of warnings) log.warn(warning);
    await runOperators({ config, loaded, operatorSettings }, { log, env, version }, signal);
  } catch (error) {
    // Stopping while it starts is no failure.
    if (!(signal.aborted && error === signal.reason)) throw error;
  }
}

/** The help does not need operators: it is shown for a name that cannot be loaded, too. */
async function withoutOperators(
  args: readonly string[],
  env: Environment,
  failure: OperatorError,
): Promise<Sources> {
  const sources = await readSources({ args, env, own: runSettings, load: async () => [] });
  if (!sources.flags.actions.has("--help")) throw failure;
  return sources;
}
