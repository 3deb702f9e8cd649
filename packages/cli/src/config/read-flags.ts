import type { IgnoredFlag, SettingAlias } from "keelson/manager";
import { nearest } from "./nearest.ts";
import { type GivenValue, type Reading, type Setting, settingValue } from "./setting.ts";

/** Flags that do something other than a run. */
const actionFlags: readonly string[] = ["--help", "--list", "--print-config"];
const configFlag = "--config";

/** The flags that are no settings. */
export const plainFlags: readonly string[] = [...actionFlags, configFlag];

/** The flags of a command that are no settings. */
export interface CommandFlags {
  /** Flags without a value that do something other than a run. */
  readonly actions: readonly string[];
  /** Flags that the command reads elsewhere: they are suggested for a misspelled one. */
  readonly known: readonly string[];
  /** Flags of programs that the operators replace, without an effect. Default: none. */
  readonly ignored?: readonly IgnoredFlag[];
}

export const runFlags: CommandFlags = { actions: actionFlags, known: plainFlags };

export interface FlagReading extends Reading {
  /** The action flags that were given. */
  readonly actions: ReadonlySet<string>;
  /** The path after `--config`. */
  readonly configPath: string | undefined;
  readonly warnings: readonly string[];
}

/**
 * Reads a command line: `--name value`, `--name=value`, `--switch`, `--switch false`, `--no-switch`; an argument that is no
 * flag, or comes after `--`, is an operator. Each use of the flag of a list adds an item; of any other flag the last use
 * counts. What follows an unknown flag is taken for its value: it may be a flag of an operator that is not loaded yet.
 */
export function readFlags(
  args: readonly string[],
  settings: readonly Setting[],
  flags: CommandFlags = runFlags,
): FlagReading {
  const reader = new FlagReader(settings, flags);
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") for (const operator of rest.splice(0)) reader.addOperator(operator);
    else if (arg === "-h") reader.actions.add("--help");
    else if (arg.startsWith("-")) reader.readFlag(arg, rest);
    else reader.addOperator(arg);
  }
  return reader;
}

class FlagReader implements FlagReading {
  readonly given: Map<string, GivenValue> = new Map();
  readonly problems: string[] = [];
  readonly actions: Set<string> = new Set();
  readonly warnings: string[] = [];
  configPath: string | undefined;
  /** By the name of the setting. */
  readonly #texts = new Map<string, readonly string[]>();
  readonly #settings: readonly Setting[];
  readonly #flags: CommandFlags;

  constructor(settings: readonly Setting[], flags: CommandFlags) {
    this.#settings = settings;
    this.#flags = flags;
  }

  addOperator(operator: string): void {
    const texts = this.#addText("operators", operator);
    this.given.set("operators", { value: texts, origin: "the command line" });
  }

  /** Takes the value of a flag that has one from the arguments that follow. */
  readFlag(arg: string, rest: string[]): void {
    const [, flag = arg, inline] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? [];
    const { setting, alias, isNegated } = this.#find(flag);
    const ignored = this.#flags.ignored?.find((candidate) => candidate.flag === flag);
    if (this.#flags.actions.includes(flag)) this.actions.add(flag);
    else if (flag === configFlag) this.configPath = this.#valueOf(flag, "FILE", inline, rest);
    else if (ignored !== undefined) {
      this.#textOf(flag, ignored.placeholder, inline, rest);
      this.warnings.push(`${flag} has no effect: ${ignored.because}`);
    } else if (setting === undefined) {
      this.problems.push(this.#unknown(flag));
      if (inline === undefined && rest[0]?.startsWith("-") === false) rest.shift();
    } else {
      const text = isNegated ? (inline ?? "false") : this.#textOf(flag, setting.placeholder, inline, rest);
      this.#set(setting, flag, text, alias);
    }
  }

  #find(flag: string): FoundFlag {
    for (const candidate of this.#settings) {
      const alias = candidate.aliases?.find((each) => each.flag === flag);
      if (alias !== undefined) return { setting: candidate, alias, isNegated: false };
    }
    const setting = this.#settings.find((candidate) => hasFlag(candidate, flag));
    if (setting !== undefined) return { setting, isNegated: false };
    const positive = flag.replace(/^--no-/, "--");
    const toggle = this.#settings.find(
      (candidate) => candidate.placeholder === undefined && hasFlag(candidate, positive),
    );
    return { setting: flag === positive ? undefined : toggle, isNegated: true };
  }

  /** The value of a flag; a flag without a placeholder is a switch. */
  #textOf(
    flag: string,
    placeholder: string | undefined,
    inline: string | undefined,
    rest: string[],
  ): string | undefined {
    if (placeholder !== undefined) return this.#valueOf(flag, placeholder, inline, rest);
    if (inline !== undefined) return inline;
    return rest[0] === "true" || rest[0] === "false" ? rest.shift() : "true";
  }

  #valueOf(
    flag: string,
    placeholder: string,
    inline: string | undefined,
    rest: string[],
  ): string | undefined {
    if (inline !== undefined) return inline;
    if (rest[0] !== undefined && !rest[0].startsWith("--")) return rest.shift();
    this.problems.push(`${flag}: has no value; write ${flag} ${placeholder}`);
    return undefined;
  }

  #set(setting: Setting, flag: string, text: string | undefined, alias: SettingAlias | undefined): void {
    if (text === undefined) return;
    const other = this.given.get(setting.name)?.origin;
    const isAlias = (name: string): boolean => setting.aliases?.some((each) => each.flag === name) ?? false;
    if (other !== undefined && other !== flag && (isAlias(flag) || isAlias(other))) {
      this.problems.push(`${flag}: is another name of ${other}, which is given, too; leave one out`);
      return;
    }
    const texts = this.#addText(setting.name, text);
    const value = settingValue(setting, texts, alias);
    if (value !== undefined) this.given.set(setting.name, { value, origin: flag });
  }

  #addText(name: string, text: string): readonly string[] {
    const texts = [...(this.#texts.get(name) ?? []), text];
    this.#texts.set(name, texts);
    return texts;
  }

  #unknown(flag: string): string {
    const known = [
      // Of two that are equally near, those of the command itself come first.
      ...this.#flags.known,
      ...this.#settings.flatMap(({ flag: own, shortFlag, aliases = [] }) =>
        [own, shortFlag, ...aliases.map((alias) => alias.flag)].filter((name) => name !== undefined),
      ),
    ];
    const meant = nearest(flag, known);
    return `${flag}: there is no such flag; ${meant === undefined ? "see --help" : `did you mean ${meant}?`}`;
  }
}

interface FoundFlag {
  readonly setting: Setting | undefined;
  /** If the flag is that of another program. */
  readonly alias?: SettingAlias;
  readonly isNegated: boolean;
}

function hasFlag({ flag, shortFlag }: Setting, name: string): boolean {
  return flag === name || shortFlag === name;
}
