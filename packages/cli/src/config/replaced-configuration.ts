import { stat } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { errorCode, isRecord, toError } from "keelson/low-level";
import type { IgnoredKey, RenamedKey, ReplacedConfiguration, ReplacedKey } from "keelson/manager";
import { nearest } from "./nearest.ts";
import { type ConfigurableOperator, yamlValue } from "./operator-settings.ts";
import { type Environment, variableValue } from "./read-environment.ts";
import { keysWithin, unknownKey } from "./read-file.ts";
import { type GivenValue, nothingRead, type Reading, type Setting, snakeCase } from "./setting.ts";
import { Include, type IncludingFile, IncludingFiles, mergeValues } from "./yaml-include.ts";

/**
 * Reads the configurations of the programs that the operators replace: a source for each of them, after those of the command.
 * `settings` are those of the operators.
 */
export function readReplacedConfigurations(
  operators: readonly ConfigurableOperator[],
  settings: readonly Setting[],
  env: Environment,
): Promise<readonly Reading[]> {
  const readings = operators.map(async ({ name, replaces }): Promise<Reading> => {
    const { configuration } = replaces ?? {};
    if (configuration === undefined) return nothingRead;
    const own = settings.filter(({ path }) => path.length > 1 && path[0] === name);
    const reader = new ConfigurationReader(configuration, [
      ...own.map((setting) => ({ path: setting.path.slice(1), setting })),
      ...(configuration.keys ?? []).map((replaced) => ({ path: replaced.key.split("."), replaced })),
    ]);
    await reader.readFile(env);
    await reader.readVariables(env);
    return reader.reading();
  });
  return Promise.all(readings);
}

/** The variable of a key, such as `AZIMUTH_CAPI__CAPI_HELM__CHART_NAME` of `capiHelm.chartName`. */
export function replacedVariable({ variablePrefix }: ReplacedConfiguration, path: readonly string[]): string {
  return [variablePrefix, ...path.map(snakeCase)].join("__").toUpperCase();
}

/** A key of the configuration that holds a value. */
type Key =
  | { readonly path: readonly string[]; readonly setting: Setting }
  | { readonly path: readonly string[]; readonly replaced: ReplacedKey };

/** A part of a configuration, below these keys. */
interface Section {
  /** As the settings spell them. */
  readonly path: readonly string[];
  /** As they are written. */
  readonly written: readonly string[];
  /** Where the last of some keys is written. */
  readonly placeOf: IncludingFile["placeOf"];
  /** Undefined if it is a variable. */
  readonly file: IncludingFile | undefined;
}

/** The texts of switches that Pydantic, which many Python programs read their configuration with, accepts in any case. */
const switches: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "on", "1", "t", "y"].map((text) => [text, true] as const),
  ...["false", "no", "off", "0", "f", "n"].map((text) => [text, false] as const),
]);

class ConfigurationReader {
  readonly #configuration: ReplacedConfiguration;
  readonly #keys: readonly Key[];
  readonly #files = new IncludingFiles();
  readonly #problems: string[] = [];
  /** By the path of the key. */
  readonly #written = new Map<string, GivenValue>();

  constructor(configuration: ReplacedConfiguration, keys: readonly Key[]) {
    this.#configuration = configuration;
    this.#keys = keys;
  }

  async readFile(env: Environment): Promise<void> {
    const { fileVariable, defaultFile } = this.#configuration;
    const named = env[fileVariable] || undefined;
    const path = named ?? defaultFile;
    if (await isMissing(path)) {
      if (named !== undefined)
        this.#problems.push(
          `${path}: there is no such file; name another one by ${fileVariable}, or unset it`,
        );
      return;
    }
    const file = await this.#files.read(path);
    if (file !== undefined) await this.#readContent(file, []);
  }

  async readVariables(env: Environment): Promise<void> {
    const prefix = this.#configuration.variablePrefix.toLowerCase();
    const variables = Object.entries(env)
      .map(([variable, text = ""]) => ({ variable, text, parts: variable.toLowerCase().split("__") }))
      .filter(({ text, parts }) => text !== "" && parts.length > 1 && parts[0] === prefix)
      // That of a section comes before those of its keys, which win over it.
      .toSorted((one, other) => one.parts.length - other.parts.length);
    for (const [index, { variable, text, parts }] of variables.entries()) {
      const name = parts.join("__");
      const same = variables.slice(0, index).find((each) => each.parts.join("__") === name);
      if (same === undefined) await this.#readVariable(variable, parts.slice(1), text);
      else this.#problems.push(`${variable}: is the same variable as ${same.variable}; leave one out`);
    }
  }

  /** The values of settings, of all that was read. */
  reading(): Reading {
    const given = new Map<string, GivenValue>();
    const problems = [...this.#files.problems, ...this.#problems];
    const warnings = [...this.#files.warnings];
    for (const key of this.#keys) {
      const written = this.#written.get(key.path.join("."));
      if (written === undefined) continue;
      if ("setting" in key) given.set(key.setting.name, settingOf(key.setting, written));
      else if ("because" in key.replaced) warnings.push(...warningsOf(key.replaced, written));
      else problems.push(...renameKey(key.replaced, written, given));
    }
    return { given, problems, warnings };
  }

  async #readContent(file: IncludingFile, path: readonly string[]): Promise<void> {
    await this.#readSection(file.content, { path, written: [], placeOf: file.placeOf, file });
  }

  async #readVariable(variable: string, parts: readonly string[], text: string): Promise<void> {
    let path: readonly string[] = [];
    for (const [index, part] of parts.entries()) {
      const isWithinValue = this.#keyAt(path) !== undefined;
      if (isWithinValue) {
        this.#write(path, { value: nested(parts.slice(index), text), origin: variable });
        return;
      }
      const key = keysWithin(path, this.#keys).find((each) => snakeCase(each) === part);
      if (key === undefined) {
        this.#problems.push(`${variable}: there is no such variable; ${this.#suggestion(variable)}`);
        return;
      }
      path = [...path, key];
    }
    const key = this.#keyAt(path);
    if (key === undefined)
      await this.#readSection(yamlValue(text), {
        path,
        written: [],
        placeOf: () => variable,
        file: undefined,
      });
    else
      this.#write(path, { value: "setting" in key ? fromText(key.setting, text) : text, origin: variable });
  }

  async #readSection(content: unknown, section: Section): Promise<void> {
    const { path, written, placeOf, file } = section;
    const place = placeOf(written);
    // A key without a value counts as not set.
    if (content === undefined || content === null) return;
    if (content instanceof Include && file !== undefined) {
      for (const each of await this.#files.included(content, file, place))
        await this.#readContent(each, path);
      return;
    }
    if (!isRecord(content)) {
      const what = path.length === 0 ? "" : `${path.join(".")} `;
      this.#problems.push(`${place}: ${what}must be a mapping of ${this.#keysBelow(path).join(", ")}`);
      return;
    }
    const spellings = new Map<string, string>();
    for (const [name, below] of Object.entries(content)) {
      const within = { ...section, written: [...written, name] };
      const key = this.#keysBelow(path).find((each) => each === name || snakeCase(each) === name);
      const other = key === undefined ? undefined : spellings.get(key);
      if (key === undefined)
        this.#problems.push(`${placeOf(within.written)}: ${unknownKey(path, name, this.#keys)}`);
      else if (other !== undefined)
        this.#problems.push(`${placeOf(within.written)}: ${name} is the same key as ${other}; leave one out`);
      else {
        spellings.set(key, name);
        await this.#readKey(below, { ...within, path: [...path, key] });
      }
    }
  }

  async #readKey(content: unknown, section: Section): Promise<void> {
    const { path, written, placeOf, file } = section;
    if (this.#keyAt(path) === undefined) {
      await this.#readSection(content, section);
      return;
    }
    const origin = placeOf(written);
    const value = file === undefined ? content : await this.#files.resolved(content, file, origin);
    if (value !== undefined && value !== null) this.#write(path, { value, origin });
  }

  /** What is read later wins. */
  #write(path: readonly string[], { value, origin }: GivenValue): void {
    const name = path.join(".");
    this.#written.set(name, { value: mergeValues(this.#written.get(name)?.value, value), origin });
  }

  #keyAt(path: readonly string[]): Key | undefined {
    const name = path.join(".");
    return this.#keys.find((key) => key.path.join(".") === name);
  }

  #keysBelow(path: readonly string[]): readonly string[] {
    return keysWithin(path, this.#keys);
  }

  #suggestion(variable: string): string {
    // All begin in the same way, which makes none of them more alike.
    const { length } = `${this.#configuration.variablePrefix}__`;
    const known = this.#keys.map(({ path }) => replacedVariable(this.#configuration, path));
    const meant = nearest(
      variable.slice(length),
      known.map((each) => each.slice(length)),
    );
    return meant === undefined ? "see --help" : `did you mean ${variable.slice(0, length)}${meant}?`;
  }
}

async function isMissing(path: string): Promise<boolean> {
  try {
    await stat(path);
    return false;
  } catch (error) {
    // The reader reports what else keeps it from being read.
    return errorCode(error) === "ENOENT";
  }
}

/** The value below these keys, in a map. */
function nested(keys: readonly string[], text: string): unknown {
  return keys.reduceRight<unknown>((value, key) => ({ [key]: value }), text);
}

function fromText(setting: Setting, text: string): unknown {
  if (setting.placeholder === undefined) return switches.get(text.toLowerCase()) ?? text;
  return variableValue(setting, text, setting.isList);
}

/** Numbers and switches may be in quotes. */
function settingOf(setting: Setting, { value, origin }: GivenValue): GivenValue {
  const { isList = false, fromSnakeCase = (each: unknown) => each } = setting;
  const isText = typeof value === "string" && !isList;
  return { value: fromSnakeCase(isText ? fromText(setting, value) : value), origin };
}

function warningsOf(
  { key, because, default: byDefault }: IgnoredKey,
  { value, origin }: GivenValue,
): readonly string[] {
  const isDefault = byDefault !== undefined && String(value).toLowerCase() === byDefault;
  return isDefault ? [] : [`${origin}: ${key} has no effect: ${because}`];
}

/** Gives the setting that the key stands for its value; returns what is wrong with that. */
function renameKey(
  { key, setting, value: convert = (each) => each }: RenamedKey,
  { value: written, origin }: GivenValue,
  given: Map<string, GivenValue>,
): readonly string[] {
  try {
    const value = convert(written);
    const other = given.get(setting);
    if (other !== undefined && !isDeepStrictEqual(other.value, value))
      return [`${origin}: ${key} does not fit what is at ${other.origin}; make them agree`];
    given.set(setting, { value, origin });
    return [];
  } catch (error) {
    return [`${origin}: ${key} ${toError(error).message}`];
  }
}
