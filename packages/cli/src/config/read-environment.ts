import { editsBetween } from "./nearest.ts";
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

/** Reads the variables of the settings. An empty variable counts as not set. */
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
    const texts = setting.isList === true ? text.split(",").map((item) => item.trim()) : [text];
    given.set(setting.name, { value: settingValue(setting, texts), origin: variable });
  }
  return { given, problems };
}
