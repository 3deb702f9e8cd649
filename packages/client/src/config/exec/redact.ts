import { isRecord } from "@keelson/core";
import type { Environment } from "../load-kubeconfig.ts";
import type { ExecSettings } from "./exec-settings.ts";

/** Shorter values are more likely to be a word such as `true` than a secret. */
const shortestSecret = 8;

/**
 * Takes out of a text what could be a secret: the given values, and any run of 40 characters or more that looks like a
 * token, a key or base64. Paths, URLs and UUIDs stay: they are what makes an error useful.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length >= shortestSecret);
  const withoutKnown = known.reduce((rest, secret) => rest.replaceAll(secret, "<redacted>"), text);
  return withoutKnown
    .replace(/[\w+=~-]{40,}/g, "<redacted>")
    .replace(/(?<![\w/:.~-])[\w+/=]{40,}/g, maskMixed);
}

/** Base64 has slashes, and so have paths; base64 of this length mixes capitals, small letters and digits. */
function maskMixed(run: string): string {
  return /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run) ? "<redacted>" : run;
}

const secretName = /secret|passw|token|key|credential/i;

/** Variables that a plugin inherits under a name that suggests a secret. */
export function secretsOfEnvironment(env: Environment): readonly string[] {
  return Object.entries(env).flatMap(([name, value = ""]) => (secretName.test(name) ? [value] : []));
}

/** What the kubeconfig gives to a plugin that may be secret: its variables, and arguments that are named like one. */
export function secretsOfSettings({ args, env }: ExecSettings): readonly string[] {
  const isSecretFlag = (name: string): boolean => name.startsWith("-") && secretName.test(name);
  const fromArgs = args.map((arg, index) => {
    const [flag = "", ...value] = arg.split("=");
    if (isSecretFlag(flag)) return value.join("=");
    return isSecretFlag(args[index - 1] ?? "") ? arg : "";
  });
  return [...Object.values(env), ...fromArgs];
}

/** What a plugin printed as its credential; a shell that traces its commands repeats it on standard error. */
export function secretsOfOutput(stdout: string): readonly string[] {
  try {
    const output: unknown = JSON.parse(stdout);
    const status = isRecord(output) && isRecord(output.status) ? output.status : {};
    return Object.values(status).filter((value) => typeof value === "string");
  } catch {
    // Not JSON, so any of it could be the secret.
    return stdout.split("\n").map((line) => line.trim());
  }
}
