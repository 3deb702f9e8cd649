import { ConfigurationError } from "./errors.ts";
import type { GivenValue, Reading } from "./reading.ts";
import { type RunConfig, runSchema } from "./run-config.ts";
import { ruleProblems } from "./run-rules.ts";
import { type Setting, settingsOf } from "./setting.ts";

/** All settings of `keelson run`. */
export const runSettings: readonly Setting[] = settingsOf(runSchema.shape);

export interface ResolvedConfig {
  readonly config: RunConfig;
  /** What of it somebody has set, and where. */
  readonly given: ReadonlyMap<string, GivenValue>;
}

/**
 * Makes the configuration of what the sources say; earlier ones win over later ones. ConfigurationError with all that is
 * wrong.
 */
export function resolveConfig(sources: readonly Reading[]): ResolvedConfig {
  const given = new Map(sources.toReversed().flatMap((source) => [...source.given]));
  const values = Object.fromEntries([...given].map(([name, { value }]) => [name, value]));
  const problems = sources.flatMap((source) => source.problems);
  const parsed = runSchema.safeParse(values);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => {
      const setting = runSettings.find(({ name }) => name === path[0]);
      return problemText(setting, given.get(String(path[0])), message);
    });
    throw new ConfigurationError("run", [...problems, ...wrong]);
  }
  const all = [...problems, ...ruleProblems(parsed.data)];
  if (all.length > 0) throw new ConfigurationError("run", all);
  return { config: parsed.data, given };
}

function problemText(setting: Setting | undefined, given: GivenValue | undefined, message: string): string {
  if (setting === undefined || given === undefined) return message;
  const { value, origin } = given;
  const shown = Array.isArray(value)
    ? value.join(",")
    : typeof value === "string"
      ? value
      : JSON.stringify(value);
  const isInFile = origin !== setting.flag && origin !== setting.variable;
  return `${origin}: ${isInFile ? `${setting.name} ` : ""}${message}, not ${shown === "" ? "nothing" : shown}`;
}
