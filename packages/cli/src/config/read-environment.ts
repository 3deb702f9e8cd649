import { editsBetween } from "./nearest.ts";
import type { GivenValue, Reading } from "./reading.ts";
import type { Setting } from "./setting.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that names a configuration file. */
export const configVariable = "KEELSON_CONFIG";
/**
 * Kubernetes tells pods about Services by variables, and a Service called `keelson-metrics` makes one that is called like
 * ours: KEELSON_METRICS_PORT=tcp://10.0.0.1:8080.
 */
const serviceLink = /^(tcp|udp|sctp):\/\//;
/** Others may have variables that begin like ours, so only one that can hardly be anything but a slip is an error. */
const mostSlips = 2;

/** Reads the variables of the settings. One that is empty is as good as none. */
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
    const items = text.split(",").map((item) => item.trim());
    given.set(setting.name, { value: setting.isList === true ? items : text, origin: variable });
  }
  return { given, problems };
}
