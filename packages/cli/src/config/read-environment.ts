import { editsBetween } from "./nearest.ts";
import { yamlValue } from "./operator-settings.ts";
import { type GivenValue, type Reading, type Setting, settingValue } from "./setting.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that names a configuration file. */
export const configVariable = "KEELSON_CONFIG";
/**
 * Kubernetes sets variables for Services in pods, and that of a Service called `keelson-metrics` has the name of a setting:
 * KEELSON_METRICS_PORT=tcp://10.0.0.1:8080.
 */
const serviceLink = /^(tcp|udp|sctp):\/\//;
/** Variables of other programs may begin with KEELSON_, so only one that is nearly that of a setting is an error. */
const mostSlips = 2;

/** Reads the variables of the settings, and those of aliases, which they win over. An empty variable counts as not set. */
export function readEnvironment(env: Environment, settings: readonly Setting[]): Reading {
  const variables = new Map(settings.map((setting) => [setting.variable, setting]));
  const given = new Map<string, GivenValue>();
  const problems: string[] = [];
  for (const [variable, text = ""] of Object.entries(env)) {
    if (!variable.startsWith("KEELSON_") || variable === configVariable) continue;
    if (text === "" || serviceLink.test(text)) continue;
    const setting = variables.get(variable);
    if (setting === undefined) {
      const meant = [...variables.keys(), configVariable].find(
        (known) => editsBetween(variable, known) <= mostSlips,
      );
      if (meant !== undefined)
        problems.push(`${variable}: there is no such variable; did you mean ${meant}?`);
      continue;
    }
    given.set(setting.name, { value: variableValue(setting, text), origin: variable });
  }
  for (const setting of settings) {
    for (const alias of setting.aliases ?? []) {
      const { variable = "" } = alias;
      const text = env[variable] ?? "";
      if (text === "" || given.has(setting.name)) continue;
      const texts = alias.value === undefined ? itemsOf(setting, text) : [text];
      const value = settingValue(setting, texts, alias);
      if (value !== undefined) given.set(setting.name, { value, origin: variable });
    }
  }
  return { given, problems };
}

/** The value of a variable. The items of a list have commas between them, unless the text is the YAML of such a list. */
export function variableValue(
  setting: Setting,
  text: string,
  isYaml: boolean = setting.hasYamlItems ?? false,
): unknown {
  const list = isYaml ? yamlValue(text) : undefined;
  return Array.isArray(list) ? list : settingValue(setting, itemsOf(setting, text));
}

function itemsOf({ isList = false }: Setting, text: string): readonly string[] {
  return isList ? text.split(",").map((item) => item.trim()) : [text];
}
