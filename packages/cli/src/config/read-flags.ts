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
}

const runFlags: CommandFlags = { actions: actionFlags, known: plainFlags };

export interface FlagReading extends Reading {
  /** The action flags that were given. */
  readonly actions: ReadonlySet<string>;
  /** The path after `--config`. */
  readonly configPath: string | undefined;
}

/**
 * Reads a command line: `--name value`, `--name=value`, `--switch`, `--no-switch`; an argument that is no flag, or comes
 * after `--`, is an operator. Each use of the flag of a list adds an item; of any other flag the last use counts. What
 * follows an unknown flag is taken for its value: it may be a flag of an operator that is not loaded yet.
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
    const { setting, isNegated } = this.#find(flag);
    if (this.#flags.actions.includes(flag)) this.actions.add(flag);
    else if (flag === configFlag) this.configPath = this.#valueOf(flag, "FILE", inline, rest);
    else if (setting === undefined) {
      this.problems.push(this.#unknown(flag));
      if (inline === undefined && rest[0]?.startsWith("-") === false) rest.shift();
    } else if (setting.placeholder === undefined)
      this.#set(setting, flag, inline ?? (isNegated ? "false" : "true"));
    else this.#set(setting, flag, this.#valueOf(flag, setting.placeholder, inline, rest));
  }

  #find(flag: string): { readonly setting: Setting | undefined; readonly isNegated: boolean } {
    const setting = this.#settings.find((candidate) => hasFlag(candidate, flag));
    if (setting !== undefined) return { setting, isNegated: false };
    const positive = flag.replace(/^--no-/, "--");
    const toggle = this.#settings.find(
      (candidate) => candidate.placeholder === undefined && hasFlag(candidate, positive),
    );
    return { setting: flag === positive ? undefined : toggle, isNegated: true };
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

  #set(setting: Setting, flag: string, value: string | undefined): void {
    if (value === undefined) return;
    const texts = this.#addText(setting.name, value);
    this.given.set(setting.name, { value: settingValue(setting, texts), origin: flag });
  }

  #addText(name: string, text: string): readonly string[] {
    const texts = [...(this.#texts.get(name) ?? []), text];
    this.#texts.set(name, texts);
    return texts;
  }

  #unknown(flag: string): string {
    const known = [
      ...this.#settings.flatMap((setting) => [setting.flag, setting.shortFlag ?? []].flat()),
      ...this.#flags.known,
    ];
    const meant = nearest(flag, known);
    return `${flag}: there is no such flag; ${meant === undefined ? "see --help" : `did you mean ${meant}?`}`;
  }
}

function hasFlag({ flag, shortFlag }: Setting, name: string): boolean {
  return flag === name || shortFlag === name;
}
