import { nearest } from "./nearest.ts";
import type { GivenValue, Reading } from "./reading.ts";
import type { Setting } from "./setting.ts";

/** Flags that ask for something else than a run. */
export const actionFlags: readonly string[] = ["--help", "--list", "--print-config"];
export const configFlag = "--config";

export interface FlagReading extends Reading {
  /** Which of the action flags stand there. */
  readonly actions: ReadonlySet<string>;
  /** The path after `--config`. */
  readonly configPath: string | undefined;
}

/**
 * Reads a command line: `--name value`, `--name=value`, `--switch`, `--no-switch`; what is no flag, or comes after `--`,
 * is an operator. A list grows with each time that it is given; of anything else the last one counts.
 */
export function readFlags(args: readonly string[], settings: readonly Setting[]): FlagReading {
  const reader = new FlagReader(settings);
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
  readonly #settings: readonly Setting[];

  constructor(settings: readonly Setting[]) {
    this.#settings = settings;
  }

  addOperator(operator: string): void {
    const before = this.given.get("operators")?.value;
    const value = Array.isArray(before) ? [...before, operator] : [operator];
    this.given.set("operators", { value, origin: "the command line" });
  }

  /** Takes the value of a flag that has one from the arguments that follow. */
  readFlag(arg: string, rest: string[]): void {
    const [, flag = arg, inline] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? [];
    const { setting, isNegated } = this.#find(flag);
    if (actionFlags.includes(flag)) this.actions.add(flag);
    else if (flag === configFlag) this.configPath = this.#valueOf(flag, "FILE", inline, rest);
    else if (setting === undefined) this.problems.push(this.#unknown(flag));
    else if (setting.placeholder === undefined)
      this.#set(setting, flag, inline ?? (isNegated ? "false" : "true"));
    else this.#set(setting, flag, this.#valueOf(flag, setting.placeholder, inline, rest));
  }

  #find(flag: string): { readonly setting: Setting | undefined; readonly isNegated: boolean } {
    const setting = this.#settings.find((candidate) => candidate.flag === flag);
    if (setting !== undefined) return { setting, isNegated: false };
    const positive = flag.replace(/^--no-/, "--");
    const toggle = this.#settings.find(
      (candidate) => candidate.placeholder === undefined && candidate.flag === positive,
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
    const before = this.given.get(setting.name)?.value;
    const list = Array.isArray(before) ? [...before, value] : [value];
    this.given.set(setting.name, { value: setting.isList === true ? list : value, origin: flag });
  }

  #unknown(flag: string): string {
    const known = [...this.#settings.map((setting) => setting.flag), ...actionFlags, configFlag];
    const meant = nearest(flag, known);
    return `${flag}: there is no such flag; ${meant === undefined ? "see --help" : `did you mean ${meant}?`}`;
  }
}
