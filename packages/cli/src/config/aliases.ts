import type { IgnoredFlag, RenamedKey, ReplacedProgram, SettingAlias } from "keelson/manager";
import type { ConfigurableOperator } from "./operator-settings.ts";
import { replacedVariable } from "./replaced-configuration.ts";
import { nothingRead, type Reading, type Setting } from "./setting.ts";

/**
 * The settings with the names and the defaults of the programs that the operators replace. A flag that such a program has,
 * too, stands for what it means there: the setting of the command is then called `--keelson.FLAG`.
 */
export function aliasedSettings(
  settings: readonly Setting[],
  operators: readonly ConfigurableOperator[],
): readonly Setting[] {
  const all = aliasesOf(operators);
  const variables = replacedVariables(operators, settings);
  const defaults = defaultsOf(operators);
  return settings.map(({ shortFlag, ...setting }) => {
    const aliases = all.filter((alias) => alias.setting === setting.name);
    const isTaken = (flag: string): boolean =>
      all.some((alias) => alias.flag === flag && alias.setting !== setting.name);
    const byDefault = defaults[setting.name];
    const ownVariables = variables.filter(({ name }) => name === setting.name);
    return {
      ...setting,
      ...(aliases.length > 0 && { aliases }),
      ...(ownVariables.length > 0 && { replacedVariables: ownVariables.map(({ variable }) => variable) }),
      ...(isTaken(setting.flag) && { flag: setting.flag.replace("--", "--keelson.") }),
      ...(shortFlag !== undefined && !isTaken(shortFlag) && { shortFlag }),
      ...(byDefault !== undefined && { default: byDefault }),
    };
  });
}

/** The flags of these programs that have no effect. */
export function ignoredFlags(operators: readonly ConfigurableOperator[]): readonly IgnoredFlag[] {
  return operators.flatMap(({ replaces }) => replaces?.ignored ?? []);
}

/** The defaults of the program that the only operator replaces, as the last source of settings. */
export function replacedDefaults(operators: readonly ConfigurableOperator[]): Reading {
  const [operator] = operators;
  const origin = `default of ${operator?.name ?? "nothing"}`;
  const given = Object.entries(defaultsOf(operators)).map(
    ([name, value]) => [name, { value, origin }] as const,
  );
  return { ...nothingRead, given: new Map(given) };
}

/** The aliases that stand for no setting, and the names that stand for two, a line for each. */
export function aliasProblems(
  operators: readonly ConfigurableOperator[],
  settings: readonly Setting[],
): readonly string[] {
  const aliases = aliasesOf(operators);
  const unknown = aliases
    .filter(({ setting }) => settings.every(({ name }) => name !== setting))
    .map(
      (alias) => `${nameOf(alias)}: stands for ${alias.setting}, which is no setting; correct the operator`,
    );
  const unknownKeys = operators
    .flatMap(({ replaces }) => renamedKeys(replaces))
    .filter(({ setting }) => settings.every(({ name }) => name !== setting))
    .map(({ key, setting }) => `${key}: stands for ${setting}, which is no setting; correct the operator`);
  const names = aliases.flatMap(({ setting, flag, variable }) =>
    [flag, variable].filter((name) => name !== undefined).map((name) => ({ name, setting })),
  );
  const ambiguous = [...Map.groupBy(names, ({ name }) => name)].flatMap(([name, uses]) => {
    const [first, second] = [...new Set(uses.map(({ setting }) => setting))];
    return second === undefined
      ? []
      : [`${name}: stands for both ${first} and ${second}; run the operators in processes of their own`];
  });
  return [...unknown, ...unknownKeys, ...ambiguous];
}

/** The variables of the configurations of these programs, with the names of the settings that they stand for. */
function replacedVariables(
  operators: readonly ConfigurableOperator[],
  settings: readonly Setting[],
): readonly { readonly name: string; readonly variable: string }[] {
  return operators.flatMap(({ name: operator, replaces }) => {
    const { configuration } = replaces ?? {};
    if (configuration === undefined) return [];
    const own = settings
      .filter(({ path }) => path.length > 1 && path[0] === operator)
      .map(({ name, path }) => ({ name, variable: replacedVariable(configuration, path.slice(1)) }));
    const renamed = renamedKeys(replaces).map(({ key, setting }) => ({
      name: setting,
      variable: replacedVariable(configuration, key.split(".")),
    }));
    return [...own, ...renamed];
  });
}

function renamedKeys(replaces: ReplacedProgram | undefined): readonly RenamedKey[] {
  const { keys = [] } = replaces?.configuration ?? {};
  return keys.filter((key) => "setting" in key);
}

function aliasesOf(operators: readonly ConfigurableOperator[]): readonly SettingAlias[] {
  return operators.flatMap(({ replaces }) => replaces?.aliases ?? []);
}

/** Operators that share a process keep the defaults of the command. */
function defaultsOf(operators: readonly ConfigurableOperator[]): Readonly<Record<string, string>> {
  return operators.length === 1 ? (operators[0]?.replaces?.defaults ?? {}) : {};
}

function nameOf({ flag, variable }: SettingAlias): string {
  return flag ?? variable ?? "an alias without a name";
}
