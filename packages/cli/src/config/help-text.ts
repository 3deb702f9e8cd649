import type { ConfigurableOperator } from "./operator-settings.ts";
import { type Setting, settingNames } from "./setting.ts";

const width = 100;
const textColumn = 34;

const introduction = `Usage: keelson run OPERATOR... [flags]

Runs operators in one process, against the cluster of the current kubeconfig or the one it runs in,
until SIGTERM or Ctrl-C; a second one ends it at once.

An OPERATOR is one that comes with Keelson, or a module that exports what defineOperator made:
a path such as ./my-operator.ts, or a package such as @acme/operator.`;

const actions: readonly (readonly [string, string])[] = [
  ["--config FILE", "a YAML file of settings, by the names of flags: metricsPort: 8080 [KEELSON_CONFIG]"],
  ["--list", "show what the OPERATORs are, and run nothing"],
  ["--print-config", "show all settings and where each came from, and run nothing"],
  ["-h, --help", "show this"],
];

const footer = "A setting is taken from its flag, else from its variable (in brackets), else from the file.";
const shortFlags =
  "The name of the operator may be left out of a flag, as in --SETTING, if no other flag is called so.";

/** The help of `keelson run`; `settings` are its own and those of the operators that are named beside `--help`. */
export function helpText(
  settings: readonly Setting[],
  operators: readonly ConfigurableOperator[] = [],
): string {
  const other = ["Other:", ...actions.flatMap(([usage, text]) => entry(usage, text))].join("\n");
  const own = settings.filter(({ path }) => path.length === 1);
  const ofOperators = settings.filter(({ path }) => path.length > 1);
  const sections = [
    ...[introduction, ...settingSections(own), other, ...settingSections(ofOperators)],
    ...operators.flatMap((operator) => [...ignoredSection(operator), ...configurationSection(operator)]),
  ];
  return `${[...sections, ofOperators.length === 0 ? footer : `${footer}\n${shortFlags}`].join("\n\n")}\n`;
}

/** A heading for each group of settings, with a line or more for each setting. */
export function settingSections(settings: readonly Setting[]): readonly string[] {
  const groups = Map.groupBy(settings, ({ group }) => group);
  return [...groups].map(([group, members]) =>
    [`${group}:`, ...members.flatMap((setting) => entry(usageOf(setting), explanationOf(setting)))].join(
      "\n",
    ),
  );
}

function ignoredSection({ name, replaces }: ConfigurableOperator): readonly string[] {
  const { name: program, ignored = [] } = replaces ?? {};
  if (program === undefined || ignored.length === 0) return [];
  const entries = ignored.flatMap(({ flag, placeholder, because }) =>
    entry(placeholder === undefined ? flag : `${flag} ${placeholder}`, because),
  );
  return [[`Flags of ${program} that ${name} accepts without an effect:`, ...entries].join("\n")];
}

/** The file of the replaced program, and which of its keys are no settings of the operator. */
function configurationSection({ name, replaces }: ConfigurableOperator): readonly string[] {
  const { configuration } = replaces ?? {};
  if (replaces === undefined || configuration === undefined) return [];
  const { fileVariable, defaultFile, variablePrefix, keys = [] } = configuration;
  const entries = keys.flatMap((key) => {
    if ("because" in key) return entry(key.key, `has no effect: ${key.because}`);
    const { flag } = settingNames(key.setting.split("."));
    return entry(key.key, `stands for ${flag}`);
  });
  const file = entry(
    defaultFile,
    `or the file that ${fileVariable} names: settings of ${name}; variables that begin with ${variablePrefix}__ win over it, and all other sources over both`,
  );
  return [[`Configuration file of ${replaces.name}:`, ...file, ...entries].join("\n")];
}

/** `--metrics-port PORT` */
export function usageOf({ flag, placeholder, isList }: Setting): string {
  return `${flag}${placeholder === undefined ? "" : ` ${placeholder}`}${isList === true ? "..." : ""}`;
}

/** The default, for people; undefined if there is none. */
export function defaultOf({ default: text, defaultHelp }: Setting): string | undefined {
  return text ?? defaultHelp;
}

function explanationOf(setting: Setting): string {
  const { help, variable, isRequired = false } = setting;
  const names = [variable, ...aliasNames(setting)].join(", ");
  const byDefault = defaultOf(setting);
  if (isRequired) return `${help} [${names}, required]`;
  const isOff = byDefault === "false";
  return `${help} [${names}${byDefault === undefined || isOff ? "" : `, default ${byDefault}`}]`;
}

/** The names of other programs; a flag that is that of the setting itself is left out. */
export function aliasNames(setting: Setting): readonly string[] {
  const { aliases = [], replacedVariables = [], flag, shortFlag } = setting;
  const names = [...aliases.flatMap((alias) => [alias.flag, alias.variable]), ...replacedVariables];
  return [...new Set(names.filter((name) => name !== undefined))].filter(
    (name) => name !== flag && name !== shortFlag,
  );
}

function entry(usage: string, text: string): readonly string[] {
  const lines = wrap(text, width - textColumn);
  const head = `  ${usage}`;
  const fits = head.length + 2 <= textColumn;
  const indented = lines.map((line) => " ".repeat(textColumn) + line);
  if (!fits) return [head, ...indented];
  return [head.padEnd(textColumn) + (lines[0] ?? ""), ...indented.slice(1)];
}

function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
