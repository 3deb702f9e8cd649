import { KeelsonError, z } from "keelson";
import { aliasProblems } from "./aliases.ts";
import { issueText } from "./issue-text.ts";
import { type ConfigurableOperator, nameProblems, operatorSettings, valuesOf } from "./operator-settings.ts";
import { type RunConfig, ruleProblems, runSchema, runSettings } from "./run-config.ts";
import type { GivenValue, Reading, Setting } from "./setting.ts";

/** All that is wrong with flags, environment and file, a line for each. */
export class ConfigurationError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.ConfigurationError";
  readonly code = "INVALID_CONFIGURATION";
  readonly problems: readonly string[];

  constructor(command: string, problems: readonly string[]) {
    const lines =
      problems.length === 1 ? ` ${problems[0]}` : problems.map((problem) => `\n  ${problem}`).join("");
    super(`configure ${command}:${lines}`);
    this.problems = problems;
  }
}

/** The values that were set for operators, by the operator's name; their schemas parse them and add defaults. */
export type SettingsByOperator = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

export interface ResolvedConfig {
  readonly config: RunConfig;
  readonly operatorSettings: SettingsByOperator;
  /** The values that were set, and where. */
  readonly given: ReadonlyMap<string, GivenValue>;
}

/**
 * Makes the configuration of `keelson run` and of the operators from the sources; earlier sources win over later ones.
 * ConfigurationError with all that is wrong.
 */
export function resolveConfig(
  sources: readonly Reading[],
  operators: readonly ConfigurableOperator[] = [],
): ResolvedConfig {
  const given = mergeSources(sources);
  const own = [...given].filter(([name]) => runSettings.some((setting) => setting.name === name));
  const parsed = runSchema.safeParse(Object.fromEntries(own.map(([name, { value }]) => [name, value])));
  const wrong = parsed.error?.issues.map(({ path, message }) => {
    const setting = runSettings.find(({ name }) => name === path[0]);
    return problemText(setting, given.get(String(path[0])), message);
  });
  const ofOperators = checkSettings(operators, given);
  const problems = [
    ...sources.flatMap((source) => source.problems),
    ...nameProblems(operators, runSettings),
    ...aliasProblems(operators, [...runSettings, ...operatorSettings(operators)]),
    ...(wrong ?? []),
    ...(parsed.success ? ruleProblems(parsed.data) : []),
    ...ofOperators.problems,
  ];
  if (problems.length > 0 || !parsed.success) throw new ConfigurationError("run", problems);
  return { config: parsed.data, operatorSettings: ofOperators.values, given };
}

/** The same for the settings of operators alone, as `command` reads them. */
export function resolveOperatorSettings(
  command: string,
  sources: readonly Reading[],
  operators: readonly ConfigurableOperator[],
): SettingsByOperator {
  const { values, problems } = checkSettings(operators, mergeSources(sources));
  const all = [
    ...sources.flatMap((source) => source.problems),
    ...nameProblems(operators, runSettings),
    ...aliasProblems(operators, [...runSettings, ...operatorSettings(operators)]),
    ...problems,
  ];
  if (all.length > 0) throw new ConfigurationError(command, all);
  return values;
}

function mergeSources(sources: readonly Reading[]): ReadonlyMap<string, GivenValue> {
  return new Map(sources.toReversed().flatMap((source) => [...source.given]));
}

function checkSettings(
  operators: readonly ConfigurableOperator[],
  given: ReadonlyMap<string, GivenValue>,
): { readonly values: SettingsByOperator; readonly problems: readonly string[] } {
  const settings = operatorSettings(operators);
  const values = new Map(operators.map((operator) => [operator.name, valuesOf(operator, given)]));
  const problems = operators.flatMap(({ name, settings: schema }) => {
    if (schema === undefined) return [];
    const { error } = z.safeParse(schema, values.get(name));
    return (error?.issues ?? []).map((issue) => operatorProblem(name, issue, settings, given));
  });
  return { values, problems };
}

function operatorProblem(
  operator: string,
  issue: z.core.$ZodIssue,
  settings: readonly Setting[],
  given: ReadonlyMap<string, GivenValue>,
): string {
  const path = [operator, ...issue.path.map(String)];
  const setting = settings.find((candidate) => candidate.path.every((key, index) => path[index] === key));
  // A rule of the whole schema, such as one that compares two settings.
  if (setting === undefined) return `${path.join(".")}: ${issue.message}`;
  const { flag, variable, name } = setting;
  const value = given.get(name);
  if (value === undefined)
    return `${flag}: must be set, by this flag, by ${variable}, or by ${name} in a file`;
  const isFlag = value.origin.startsWith("--");
  const rest = isFlag
    ? `${variable}, ${name} in a file`
    : `${flag}, ${value.origin === variable ? `${name} in a file` : variable}`;
  return `${problemText(setting, value, issueText(issue, setting))} (also ${rest})`;
}

function problemText(setting: Setting | undefined, given: GivenValue | undefined, message: string): string {
  if (setting === undefined || given === undefined) return message;
  const { value, origin } = given;
  const isInFile = !origin.startsWith("--") && origin !== setting.variable;
  const text = `${origin}: ${isInFile ? `${setting.name} ` : ""}${message}`;
  return setting.isSensitive === true ? text : `${text}, not ${shown(value)}`;
}

function shown(value: unknown): string {
  const text = Array.isArray(value)
    ? value.join(",")
    : typeof value === "string"
      ? value
      : JSON.stringify(value);
  return text === "" ? "nothing" : text;
}
