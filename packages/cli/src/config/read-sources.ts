import type { LoadedOperator } from "../operators/load-operators.ts";
import { aliasedSettings, ignoredFlags, replacedDefaults } from "./aliases.ts";
import { operatorSettings } from "./operator-settings.ts";
import { configVariable, type Environment, readEnvironment } from "./read-environment.ts";
import { readConfigFile } from "./read-file.ts";
import { type CommandFlags, type FlagReading, plainFlags, readFlags, runFlags } from "./read-flags.ts";
import { readReplacedConfigurations } from "./replaced-configuration.ts";
import { nothingRead, type Reading, type Setting } from "./setting.ts";

export interface SourceOptions {
  readonly args: readonly string[];
  readonly env: Environment;
  /** The settings of the command itself. */
  readonly own: readonly Setting[];
  /** Settings that a file may hold beside those of the operators. Default: `own`. */
  readonly fileSettings?: readonly Setting[];
  /** The path of a file, if the command has read its flag itself. */
  readonly configPath?: string | undefined;
  readonly flags?: CommandFlags;
  /** Loads the named operators. */
  readonly load: (names: readonly string[]) => Promise<readonly LoadedOperator[]>;
}

/** All sources of a command's configuration, read by the settings of the command and of its operators. */
export interface Sources {
  readonly flags: FlagReading;
  /** Earlier ones win over later ones. */
  readonly readings: readonly Reading[];
  readonly operators: readonly LoadedOperator[];
  /** Those of the command, then those of the operators. */
  readonly settings: readonly Setting[];
}

/**
 * Loads the operators that the sources name, and reads the sources by their settings. A source is read again after operators
 * were loaded, since only their schemas define which flags have values and which are switches.
 */
export async function readSources(options: SourceOptions): Promise<Sources> {
  const { args, env, own, fileSettings = own, load } = options;
  const known = [...own.map(({ flag }) => flag), ...(options.flags?.known ?? []), ...plainFlags];
  const names = new Set<string>();
  let operators: readonly LoadedOperator[] | undefined;
  for (;;) {
    const loaded = operators?.map(({ operator }) => operator) ?? [];
    const ofOperators = operatorSettings(loaded, known);
    const settings = aliasedSettings([...own, ...ofOperators], loaded);
    const flags = readFlags(args, settings, {
      ...(options.flags ?? runFlags),
      ignored: ignoredFlags(loaded),
    });
    const path = flags.configPath ?? options.configPath ?? (env[configVariable] || undefined);
    const file =
      path === undefined ? nothingRead : await readConfigFile(path, [...fileSettings, ...ofOperators]);
    const readings = [
      ...[flags, readEnvironment(env, settings), file],
      ...(await readReplacedConfigurations(loaded, ofOperators, env)),
      replacedDefaults(loaded),
    ];
    const named = operatorNames(readings);
    if (operators !== undefined && named.every((name) => names.has(name)))
      return { flags, readings, operators, settings };
    for (const name of named) names.add(name);
    operators = await load([...names]);
  }
}

/** A value that is no list of names is left for the schema to refuse. */
function operatorNames(readings: readonly Reading[]): readonly string[] {
  const value = readings.flatMap(({ given }) => given.get("operators") ?? []).at(0)?.value;
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => (typeof item === "string" && item !== "" ? [item] : []));
}
