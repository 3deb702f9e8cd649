import { defaultOf, usageOf } from "../../src/config/help-text.ts";
import type { Setting } from "../../src/config/setting.ts";

/** The settings as the README lists them. */
export function settingsTable(settings: readonly Setting[]): string {
  const rows = settings.map((setting) => {
    const byDefault = defaultOf(setting);
    const isWritten = setting.default !== undefined;
    return [
      `\`${usageOf(setting)}\``,
      `\`${setting.variable}\``,
      `\`${setting.name}\``,
      setting.help,
      byDefault === undefined ? "" : isWritten ? `\`${byDefault}\`` : byDefault,
    ];
  });
  const head = ["flag", "variable", "in a file", "what it is", "default"];
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |\n`).join("");
}
