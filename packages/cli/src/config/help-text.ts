import type { Setting } from "./setting.ts";

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

/** The help of \`keelson run\`. */
export function helpText(settings: readonly Setting[]): string {
  const groups = Map.groupBy(settings, ({ group }) => group);
  const sections = [...groups].map(([group, members]) =>
    [`${group}:`, ...members.flatMap((setting) => entry(usageOf(setting), explanationOf(setting)))].join(
      "\n",
    ),
  );
  const others = ["Other:", ...actions.flatMap(([usage, text]) => entry(usage, text))].join("\n");
  return `${[introduction, ...sections, others, footer].join("\n\n")}\n`;
}

/** `--metrics-port PORT` */
export function usageOf({ flag, placeholder, isList }: Setting): string {
  return `${flag}${placeholder === undefined ? "" : ` ${placeholder}`}${isList === true ? "..." : ""}`;
}

/** What holds if nobody sets it; undefined if nothing does. */
export function defaultOf({ default: text, defaultHelp }: Setting): string | undefined {
  return text ?? defaultHelp;
}

function explanationOf(setting: Setting): string {
  const { help, variable } = setting;
  const byDefault = defaultOf(setting);
  const isOff = byDefault === "false";
  return `${help} [${variable}${byDefault === undefined || isOff ? "" : `, default ${byDefault}`}]`;
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
