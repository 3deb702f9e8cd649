import { abortable } from "keelson";
import { helpText } from "../config/help-text.ts";
import { configText } from "../config/print-config.ts";
import { configVariable, type Environment, readEnvironment } from "../config/read-environment.ts";
import { readConfigFile } from "../config/read-file.ts";
import { type FlagReading, readFlags } from "../config/read-flags.ts";
import { nothingRead } from "../config/reading.ts";
import { type ResolvedConfig, resolveConfig, runSettings } from "../config/resolve-config.ts";
import { bundledOperators } from "../operators/bundled.ts";
import { type LoadedOperator, loadOperators } from "../operators/load-operators.ts";
import { operatorList } from "../operators/operator-list.ts";
import { NoOperatorNamedError } from "../run/errors.ts";
import { type LogStream, runLogger } from "../run/run-logger.ts";
import { runOperators } from "../run/run-operators.ts";

export interface RunCommandSurroundings {
  /** Ends the command, in whatever it is doing. */
  readonly signal: AbortSignal;
  readonly stdout: LogStream;
  readonly env: Environment;
  /** Where paths begin. */
  readonly folder: string;
  /** Of this command. */
  readonly version: string;
}

/** `keelson run`: resolves when it was told to stop and everything has ended in order. */
export async function run(args: readonly string[], surroundings: RunCommandSurroundings): Promise<void> {
  const { stdout, env, version, signal } = surroundings;
  const flags = readFlags(args, runSettings);
  if (flags.actions.has("--help")) {
    stdout.write(helpText(runSettings));
    return;
  }
  const resolved = await readConfig(flags, env);
  if (flags.actions.has("--print-config")) {
    stdout.write(configText(resolved, runSettings));
    return;
  }
  const { config } = resolved;
  try {
    const loaded = await abortable(loadNamed(config.operators ?? [], surroundings.folder), signal);
    if (flags.actions.has("--list")) {
      stdout.write(operatorList(loaded));
      return;
    }
    const log = runLogger(config, stdout, env);
    await runOperators(config, loaded, { log, env, version }, signal);
  } catch (error) {
    // Being told to stop while it starts is no failure.
    if (!(signal.aborted && error === signal.reason)) throw error;
  }
}

async function readConfig(flags: FlagReading, env: Environment): Promise<ResolvedConfig> {
  const path = flags.configPath ?? (env[configVariable] || undefined);
  const file = path === undefined ? nothingRead : await readConfigFile(path, runSettings);
  return resolveConfig([flags, readEnvironment(env, runSettings), file]);
}

async function loadNamed(names: readonly string[], folder: string): Promise<readonly LoadedOperator[]> {
  if (names.length === 0) throw new NoOperatorNamedError();
  return loadOperators(names, { bundled: bundledOperators, folder });
}
