import { z } from "keelson";

/** What people are told of a setting, beside what its schema checks. */
export interface SettingFacts {
  /** Under which heading it stands in the help. */
  readonly group: string;
  /** One sentence, without a full stop. */
  readonly help: string;
  /** What stands for its value in the help, such as `PORT`. Without one it is a switch, on or off. */
  readonly placeholder?: string;
  /** What holds if nobody sets it, as people would write it. */
  readonly default?: string;
  /** The same for a default that is found out when it is needed. */
  readonly defaultHelp?: string;
  /** May be given several times; in the environment, with commas between. */
  readonly isList?: boolean;
}

/** The facts of each setting, by its schema. */
export const settingFacts: z.core.$ZodRegistry<SettingFacts> = z.registry<SettingFacts>();

/** Makes a setting of a type that takes what people write. Its default is read as if somebody had written it. */
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
export interface Setting<Name extends string = string> extends SettingFacts {
  /** In a file, such as `metricsPort`. */
  readonly name: Name;
  /** Such as `--metrics-port`. */
  readonly flag: string;
  /** Such as `KEELSON_METRICS_PORT`. */
  readonly variable: string;
  readonly schema: z.ZodType;
}

/** The settings of a schema, in its order. */
export function settingsOf(shape: Readonly<Record<string, z.ZodType>>): readonly Setting[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const facts = settingFacts.get(schema);
    if (facts === undefined) return [];
    const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const variable = `KEELSON_${words.replaceAll("-", "_").toUpperCase()}`;
    return [{ ...facts, name, flag: `--${words}`, variable, schema }];
  });
}
