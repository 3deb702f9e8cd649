import { defaultOf } from "./help-text.ts";
import { yamlText } from "./operator-settings.ts";
import type { ResolvedConfig } from "./resolve-config.ts";
import type { Setting } from "./setting.ts";

interface Line {
  readonly text: string;
  readonly comment?: string;
}

/**
 * The configuration as a file that gives the same one again, except for sensitive values, which are left out; a comment
 * shows where each value came from.
 */
export function configText(resolved: ResolvedConfig, settings: readonly Setting[]): string {
  const lines = settings.flatMap((setting, index) => [
    ...sectionsBefore(setting, settings[index - 1]),
    settingLine(resolved, setting),
  ]);
  const column = Math.max(...lines.map(({ text }) => text.length));
  return lines
    .map(({ text, comment }) =>
      comment === undefined ? `${text}\n` : `${text.padEnd(column)}  # ${comment}\n`,
    )
    .join("");
}

/** The keys that the setting is the first to stand below. */
function sectionsBefore({ path }: Setting, previous: Setting | undefined): readonly Line[] {
  const sections = path.slice(0, -1);
  const shared = sections.findIndex((key, index) => previous?.path[index] !== key);
  if (shared === -1) return [];
  return sections.slice(shared).map((key, index) => ({ text: `${"  ".repeat(shared + index)}${key}:` }));
}

function settingLine({ config, given }: ResolvedConfig, setting: Setting): Line {
  const { name, path, isSensitive = false } = setting;
  const indent = "  ".repeat(path.length - 1);
  const key = path.at(-1) ?? name;
  const value = given.get(name);
  if (isSensitive) {
    const origin = value === undefined ? "not set" : `${value.origin}; sensitive, not shown`;
    return { text: `${indent}# ${key}:`, comment: origin };
  }
  const means: unknown = Object.entries(config).find(([each]) => each === name)?.[1];
  const asYaml = (raw: unknown): string =>
    `${indent}${key}: ${path.length > 1 ? yamlText(raw) : inYaml(raw, means)}`;
  if (value !== undefined) return { text: asYaml(value.value), comment: value.origin };
  if (setting.default === undefined)
    return { text: `${indent}# ${key}:`, comment: `not set: ${defaultOf(setting) ?? "none"}` };
  const text = path.length > 1 ? `${indent}${key}: ${setting.default}` : asYaml(setting.default);
  return { text, comment: "default" };
}

/** A flag of a number or a switch is text; in YAML it needs no quotes. */
function inYaml(value: unknown, means: unknown): string {
  const isPlain =
    typeof means !== "string" && typeof value === "string" && /^(-?\d+|true|false)$/.test(value);
  const plain: unknown = isPlain ? JSON.parse(value) : value;
  return yamlText(plain);
}
