import { stringify } from "yaml";
import { defaultOf } from "./help-text.ts";
import type { ResolvedConfig } from "./resolve-config.ts";
import type { Setting } from "./setting.ts";

/** The configuration as a file that gives the same one again; a comment says where each value came from. */
export function configText({ config, given }: ResolvedConfig, settings: readonly Setting[]): string {
  const lines = settings.map((setting) => {
    const { name } = setting;
    const means: unknown = Object.entries(config).find(([key]) => key === name)?.[1];
    const value = given.get(name);
    if (value !== undefined) return [inYaml(name, value.value, means), value.origin] as const;
    if (setting.default !== undefined) return [inYaml(name, setting.default, means), "default"] as const;
    return [`# ${setting.name}:`, `not set: ${defaultOf(setting) ?? "none"}`] as const;
  });
  const column = Math.max(...lines.map(([text]) => text.length));
  return lines.map(([text, origin]) => `${text.padEnd(column)}  # ${origin}\n`).join("");
}

/** In one line. What means a number or a switch comes from flags as text; in YAML it needs no quotes. */
function inYaml(name: string, value: unknown, means: unknown): string {
  const isPlain =
    typeof means !== "string" && typeof value === "string" && /^(-?\d+|true|false)$/.test(value);
  const plain: unknown = isPlain ? JSON.parse(value) : value;
  const text = stringify(plain, { collectionStyle: "flow", lineWidth: 0, defaultStringType: "PLAIN" });
  return `${name}: ${text.trimEnd()}`;
}
