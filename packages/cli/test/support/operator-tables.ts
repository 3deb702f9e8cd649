import type { ReplacedConfiguration, ReplacedProgram } from "keelson/manager";
import { aliasNames, defaultOf } from "../../src/config/help-text.ts";
import type { Setting } from "../../src/config/setting.ts";

/** The settings of an operator as its README lists them. */
export function operatorTable(settings: readonly Setting[]): string {
  const rows = settings.map((setting) => {
    const { flag, shortFlag = flag, placeholder, help } = setting;
    const usage =
      placeholder === undefined ? shortFlag : `${shortFlag} ${placeholder.replaceAll("|", "\\|")}`;
    const byDefault = defaultOf(setting);
    return [`\`${usage}\``, help, byDefault === undefined ? "" : `\`${byDefault}\``, namesOf(setting)];
  });
  return table(["flag", "what it is", "default", "also"], rows);
}

/** The flags and variables of the replaced program that stand for settings of the command, as the README lists them. */
export function replacedTable(settings: readonly Setting[], { ignored = [] }: ReplacedProgram): string {
  const rows = settings
    .filter(({ path, aliases = [] }) => path.length === 1 && aliases.length > 0)
    .map((setting) => {
      const { flag, aliases = [] } = setting;
      const isSame = aliases.some((alias) => alias.flag === flag);
      return [[...(isSame ? [`\`${flag}\``] : []), namesOf(setting)].join(", "), `\`${flag}\``];
    });
  const without = ignored.map(({ flag, because }) => [`\`${flag}\``, `nothing: ${because}`]);
  return table(["upstream's name", "stands for"], [...rows, ...without]);
}

/** The keys of the replaced program that are no settings of the operator, as the README lists them. */
export function keysTable(settings: readonly Setting[], { keys = [] }: ReplacedConfiguration): string {
  const rows = keys.map((key) => {
    if ("because" in key) return [`\`${key.key}\``, `nothing: ${key.because}`];
    const { flag } = settings.find(({ name }) => name === key.setting) ?? { flag: key.setting };
    return [`\`${key.key}\``, `\`${flag}\``];
  });
  return table(["key of the original", "stands for"], rows);
}

function namesOf(setting: Setting): string {
  return aliasNames(setting)
    .map((name) => `\`${name}\``)
    .join(", ");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |\n`).join("");
}
