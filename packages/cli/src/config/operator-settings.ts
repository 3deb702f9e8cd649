import { isDeepStrictEqual } from "node:util";
import { z } from "keelson";
import { isRecord } from "keelson/low-level";
import type { ReplacedProgram } from "keelson/manager";
import { parse, stringify } from "yaml";
import { type GivenValue, kebabCase, type Setting, settingNames, snakeCase } from "./setting.ts";

/** The part of an operator that its settings are made of. */
export interface ConfigurableOperator {
  readonly name: string;
  readonly settings?: z.core.$ZodObject | undefined;
  readonly replaces?: ReplacedProgram | undefined;
}

type Schema = z.core.$ZodType;

/** A schema without the layers around it that make it optional, give it a default, or transform what it read. */
interface Layers {
  readonly core: Schema;
  /** From the outermost to the core. */
  readonly all: readonly Schema[];
}

/**
 * The settings that the schemas of operators declare, with their names in flags, variables and files. A flag without the
 * operator's name is accepted where it is unambiguous: `reserved` are the flags of the command itself.
 */
export function operatorSettings(
  operators: readonly ConfigurableOperator[],
  reserved: readonly string[] = [],
): readonly Setting[] {
  const settings = operators.flatMap(({ name, settings: schema }) =>
    schema === undefined ? [] : settingsWithin(schema, [name], { group: `Settings of ${name}` }),
  );
  const taken = [...reserved, ...settings.map(({ flag }) => flag)];
  const shortFlags = settings.map(({ path }) => settingNames(path.slice(1)).flag);
  return settings.map((setting, index) => {
    const shortFlag = shortFlags[index] ?? setting.flag;
    const isAmbiguous =
      shortFlags.indexOf(shortFlag) !== shortFlags.lastIndexOf(shortFlag) ||
      taken.some((flag) => flag === shortFlag || flag.replace("--", "--no-") === shortFlag);
    return isAmbiguous ? setting : { ...setting, shortFlag };
  });
}

/** The names that two settings share, or that an operator shares with a key of the command, a line for each. */
export function nameProblems(
  operators: readonly ConfigurableOperator[],
  own: readonly Setting[],
): readonly string[] {
  const configurable = operators.filter(({ settings }) => settings !== undefined);
  const keys = configurable
    .filter(({ name }) => own.some((setting) => setting.name === name))
    .map(
      ({ name }) =>
        `operator ${name}: its settings need the key ${name}, which keelson uses; rename the operator`,
    );
  const byVariable = Map.groupBy([...own, ...operatorSettings(configurable)], ({ variable }) => variable);
  const variables = [...byVariable].flatMap(([variable, [first, second]]) =>
    first === undefined || second === undefined
      ? []
      : [`${variable}: is the variable of both ${first.name} and ${second.name}; rename the second one`],
  );
  return [...keys, ...variables];
}

/** What the schema of an operator is to parse, of the values that were given to its settings. */
export function valuesOf(
  { name, settings }: ConfigurableOperator,
  given: ReadonlyMap<string, GivenValue>,
): Record<string, unknown> {
  return settings === undefined ? {} : valuesWithin(settings, [name], given);
}

interface Inherited {
  readonly group: string;
  readonly isSensitive?: boolean;
  /** A section that need not exist: its defaults count as soon as one of its settings is given. */
  readonly isOptional?: boolean;
}

function settingsWithin(
  schema: z.core.$ZodObject,
  path: readonly string[],
  inherited: Inherited,
): readonly Setting[] {
  return Object.entries(schema._zod.def.shape).flatMap(([key, field]) => {
    const layers = layersOf(field);
    const isSensitive = inherited.isSensitive === true || metaOf(layers, "sensitive") === true;
    const isOptional = inherited.isOptional === true || isOptionalSection(layers);
    const at = [...path, key];
    if (layers.core instanceof z.core.$ZodObject)
      return settingsWithin(layers.core, at, { ...inherited, isSensitive, isOptional });
    return [settingOf(field, layers, at, { ...inherited, isSensitive })];
  });
}

function settingOf(field: Schema, layers: Layers, path: readonly string[], inherited: Inherited): Setting {
  const { core } = layers;
  const item = core instanceof z.core.$ZodArray ? layersOf(core._zod.def.element).core : core;
  const { group, isSensitive = false, isOptional = false } = inherited;
  const byDefault = isSensitive ? hiddenDefault(field, layers) : defaultOf(field, layers);
  const description = metaOf(layers, "description");
  const placeholder = metaOf(layers, "placeholder");
  const isSwitch = core instanceof z.core.$ZodBoolean;
  return {
    ...settingNames(path),
    group,
    help:
      typeof description === "string"
        ? description.replace(/\.$/, "")
        : kebabCase(path.at(-1) ?? "").replaceAll("-", " "),
    ...(!isSwitch && { placeholder: typeof placeholder === "string" ? placeholder : placeholderOf(item) }),
    ...(isOptional && byDefault.default !== undefined ? { defaultHelp: byDefault.default } : byDefault),
    isList: core instanceof z.core.$ZodArray,
    hasYamlItems: core instanceof z.core.$ZodArray && placeholderOf(item) === unknownType,
    fromText: (text) => fromText(item, text),
    fromSnakeCase: (value) => fromSnakeCase(core, value),
    isSensitive,
    isRequired: field._zod.optin === undefined,
  };
}

function layersOf(schema: Schema): Layers {
  const all: Schema[] = [schema];
  let core: Schema | undefined = schema;
  for (let inner = innerOf(core); inner !== undefined; inner = innerOf(core)) {
    core = inner;
    all.push(core);
  }
  return { core, all };
}

function innerOf(schema: Schema): Schema | undefined {
  if (schema instanceof z.core.$ZodPipe) {
    const { in: before, out } = schema._zod.def;
    // A preprocessing function takes anything: the schema behind it defines the type.
    return before instanceof z.core.$ZodTransform ? out : before;
  }
  const isWrapper =
    schema instanceof z.core.$ZodOptional ||
    schema instanceof z.core.$ZodNonOptional ||
    schema instanceof z.core.$ZodNullable ||
    schema instanceof z.core.$ZodDefault ||
    schema instanceof z.core.$ZodPrefault ||
    schema instanceof z.core.$ZodCatch ||
    schema instanceof z.core.$ZodReadonly;
  return isWrapper ? schema._zod.def.innerType : undefined;
}

function isOptionalSection({ all }: Layers): boolean {
  const isOptional = all.some(
    (each) => each instanceof z.core.$ZodOptional || each instanceof z.core.$ZodNullable,
  );
  return isOptional && !all.some(isDefaultLayer);
}

/** The outermost layer that has the fact counts. */
function metaOf({ all }: Layers, fact: string): unknown {
  return all
    .map((schema) => (schema instanceof z.ZodType ? schema.meta() : undefined))
    .map((meta): unknown => (isRecord(meta) ? meta[fact] : undefined))
    .find((value) => value !== undefined);
}

/** Represents a value that no other word describes. */
const unknownType = "VALUE";

function placeholderOf(item: Schema): string {
  if (item instanceof z.core.$ZodEnum) return Object.values(item._zod.def.entries).join("|");
  if (item instanceof z.core.$ZodLiteral) return item._zod.def.values.map(String).join("|");
  if (item instanceof z.core.$ZodNumber) return "NUMBER";
  if (item instanceof z.core.$ZodURL) return "URL";
  return item instanceof z.core.$ZodString ? "TEXT" : unknownType;
}

/** Only a default that the schema would read again can be written in a file; another one is described. */
function defaultOf(field: Schema, layers: Layers): Pick<Setting, "default" | "defaultHelp"> {
  const value = defaultValueOf(layers);
  if (value === undefined) return {};
  const text = yamlText(value);
  return z.safeParse(field, value).success ? { default: text } : { defaultHelp: text };
}

/** A default that is empty can be shown. */
function hiddenDefault(field: Schema, layers: Layers): Pick<Setting, "default" | "defaultHelp"> {
  const value = defaultValueOf(layers);
  if (value === undefined) return {};
  return isDeepStrictEqual(value, {}) ? defaultOf(field, layers) : { defaultHelp: "not shown" };
}

function defaultValueOf({ all }: Layers): unknown {
  return all.find(isDefaultLayer)?._zod.def.defaultValue;
}

function isDefaultLayer(layer: Schema): layer is z.core.$ZodDefault | z.core.$ZodPrefault {
  return layer instanceof z.core.$ZodDefault || layer instanceof z.core.$ZodPrefault;
}

/** In one line. */
export function yamlText(value: unknown): string {
  return stringify(value, { collectionStyle: "flow", lineWidth: 0, defaultStringType: "PLAIN" }).trimEnd();
}

/**
 * A number or a switch if the schema takes one; of a schema that takes several types, the text if it takes that, or else
 * the text read as YAML. Text that fits neither is left for the schema to refuse.
 */
function fromText(item: Schema, text: string): unknown {
  if (item instanceof z.core.$ZodString || z.safeParse(item, text).success) return text;
  const value = yamlValue(text);
  if (item instanceof z.core.$ZodNumber) return typeof value === "number" ? value : text;
  return z.safeParse(item, value).success ? value : text;
}

function fromSnakeCase(schema: Schema, value: unknown): unknown {
  if (schema instanceof z.core.$ZodArray && Array.isArray(value)) {
    const { core } = layersOf(schema._zod.def.element);
    return value.map((item: unknown) => fromSnakeCase(core, item));
  }
  if (!(schema instanceof z.core.$ZodObject) || !isRecord(value)) return value;
  const fields = Object.entries(schema._zod.def.shape);
  const entries = Object.entries(value).map(([key, below]): [string, unknown] => {
    const [name, field] = fields.find(([each]) => each === key || snakeCase(each) === key) ?? [key];
    return [name, field === undefined ? below : fromSnakeCase(layersOf(field).core, below)];
  });
  return Object.fromEntries(entries);
}

/** Text that is not YAML is itself. */
export function yamlValue(text: string): unknown {
  try {
    const value: unknown = parse(text);
    return value;
  } catch {
    // The schema refuses the text in the same words as any other.
    return text;
  }
}

function valuesWithin(
  schema: z.core.$ZodObject,
  path: readonly string[],
  given: ReadonlyMap<string, GivenValue>,
): Record<string, unknown> {
  const entries = Object.entries(schema._zod.def.shape).flatMap(([key, field]): [string, unknown][] => {
    const { core } = layersOf(field);
    const at = [...path, key];
    if (core instanceof z.core.$ZodObject) {
      const nested = valuesWithin(core, at, given);
      // A required object whose fields all have defaults need not be written.
      const isNeeded = Object.keys(nested).length > 0 || field._zod.optin === undefined;
      return isNeeded ? [[key, nested]] : [];
    }
    const value = given.get(at.join("."));
    if (value === undefined) return [];
    const isOneItem = core instanceof z.core.$ZodArray && !Array.isArray(value.value);
    return [[key, isOneItem ? [value.value] : value.value]];
  });
  return Object.fromEntries(entries);
}
