import { z } from "keelson";
import type { SettingAlias } from "keelson/manager";

/** What the help shows of a setting, in addition to what its schema checks. */
export interface SettingFacts {
  /** The heading above it in the help. */
  readonly group: string;
  /** One sentence, without a full stop. */
  readonly help: string;
  /** What represents its value in the help, such as `PORT`. A setting without one is a switch, on or off. */
  readonly placeholder?: string;
  /** The default value, as it would be written in a file. */
  readonly default?: string;
  /** Describes a default that is computed when it is needed. */
  readonly defaultHelp?: string;
  /** The flag may be given several times; the variable holds items with commas between them. */
  readonly isList?: boolean;
}

/** The facts of each setting, by its schema. */
const settingFacts: z.core.$ZodRegistry<SettingFacts> = z.registry<SettingFacts>();

/** Makes a setting of a type that reads text. Its default is read in the same way. */
export function setting<Value>(
  type: z.ZodType<Value>,
  facts: SettingFacts & { readonly default: string },
): z.ZodType<Value>;
export function setting<Value>(type: z.ZodType<Value>, facts: SettingFacts): z.ZodType<Value | undefined>;
export function setting<Value>(type: z.ZodType<Value>, facts: SettingFacts): z.ZodType<Value | undefined> {
  const schema = facts.default === undefined ? type.optional() : type.prefault(facts.default);
  return schema.register(settingFacts, facts);
}

/** An object schema that takes exactly these settings. */
export type SettingsSchema<Config> = z.ZodObject<{
  readonly [Name in keyof Config]-?: z.ZodType<Config[Name]>;
}>;

/** A setting under all its names. */
export interface Setting extends SettingFacts {
  /** Its keys in a file, joined by dots: `metricsPort`, or `webapp.maxReplicas` of an operator. */
  readonly name: string;
  readonly path: readonly string[];
  /** Such as `--metrics-port`. */
  readonly flag: string;
  /** A second flag without the operator's name, where it is unambiguous. */
  readonly shortFlag?: string;
  /** Such as `KEELSON_METRICS_PORT`. */
  readonly variable: string;
  /** Further names, of programs that the operators replace. */
  readonly aliases?: readonly SettingAlias[];
  /** Variables of programs that the operators replace, which are read after the file. */
  readonly replacedVariables?: readonly string[];
  /** Converts the text of a flag or a variable, or one item of a list. Default: the schema reads text itself. */
  readonly fromText?: (text: string) => unknown;
  /** Its items may hold commas, so that a variable may also hold the YAML of a list. */
  readonly hasYamlItems?: boolean;
  /** Spells the keys within a value as the schema does, where they are in snake case. Default: a value has no keys. */
  readonly fromSnakeCase?: (value: unknown) => unknown;
  /** Its value is never printed. */
  readonly isSensitive?: boolean;
  /** Nothing starts without a value. */
  readonly isRequired?: boolean;
}

/** Names of the setting with these keys: each key in kebab case, with dots between keys in a flag. */
export function settingNames(path: readonly string[]): Pick<Setting, "name" | "path" | "flag" | "variable"> {
  const words = path.map(kebabCase);
  const variable = `KEELSON_${words.join("_").replaceAll("-", "_").toUpperCase()}`;
  return { name: path.join("."), path, flag: `--${words.join(".")}`, variable };
}

/** `metricsPort` is `metrics-port`, `bucketURL` is `bucket-url` and `allowedURLs` is `allowed-urls`. */
export function kebabCase(name: string): string {
  const wordStart = /(?<=[a-z\d])[A-Z]|(?<=[A-Z])[A-Z](?=[a-z])(?!s(?![a-z]))/g;
  return name.replace(wordStart, (letter) => `-${letter}`).toLowerCase();
}

/** `metricsPort` is `metrics_port`. */
export function snakeCase(name: string): string {
  return kebabCase(name).replaceAll("-", "_");
}

/** The settings of a schema, in its order. */
export function settingsOf(shape: Readonly<Record<string, z.ZodType>>): readonly Setting[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const facts = settingFacts.get(schema);
    return facts === undefined ? [] : [{ ...facts, ...settingNames([name]) }];
  });
}

/** A value that a source holds for a setting. */
export interface GivenValue {
  readonly value: unknown;
  /** The place, for messages: `--metrics-port`, `KEELSON_METRICS_PORT`, `keelson.yaml:3`. */
  readonly origin: string;
}

/** The contents of one source of configuration. */
export interface Reading {
  /** By the name of the setting. */
  readonly given: ReadonlyMap<string, GivenValue>;
  /** What is wrong with the source itself, a line for each. */
  readonly problems: readonly string[];
  /** What has no effect, and why, a line for each. Default: none. */
  readonly warnings?: readonly string[];
}

/** The reading of a source that does not exist. */
export const nothingRead: Reading = { given: new Map(), problems: [] };

/** The value that the items of a list setting, or the one text of another setting, stand for. */
export function settingValue(
  { isList = false, fromText = (text) => text }: Setting,
  texts: readonly string[],
  alias?: SettingAlias,
): unknown {
  if (alias?.value === undefined)
    return isList ? texts.map((text) => fromText(text)) : fromText(texts.at(-1) ?? "");
  const values = texts.map(alias.value).filter((value) => value !== undefined);
  // A text of another program may hold several items.
  return isList && values.length > 0 ? values.flat() : values.at(-1);
}
