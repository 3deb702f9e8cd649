import { isRecord } from "@keelson/core";

/** A value that does not have the required format. Names its path and type, never the value. */
export class FormatProblem extends Error {}

/** The fields of an object from outside, read with the types they must have. Null counts as absent. */
export class Fields {
  readonly #record: Readonly<Record<string, unknown>>;
  readonly #path: string;

  private constructor(record: Readonly<Record<string, unknown>>, path: string) {
    this.#record = record;
    this.#path = path;
  }

  /** `path` is where the value stands, for errors. */
  static of(value: unknown, path: string): Fields {
    if (!isRecord(value)) throw wrongType(path || "the file", "a mapping", value);
    return new Fields(value, path);
  }

  unknown(name: string): unknown {
    return Object.hasOwn(this.#record, name) ? (this.#record[name] ?? undefined) : undefined;
  }

  string(name: string): string | undefined {
    const value = this.unknown(name);
    if (value === undefined || typeof value === "string") return value;
    throw wrongType(this.#pathOf(name), "a string", value);
  }

  /** Those of the named fields that are there. An empty string is the same as none, as in kubectl. */
  strings<Name extends string>(...names: readonly Name[]): { readonly [N in Name]?: string } {
    const present: { [N in Name]?: string } = {};
    for (const name of names) {
      const value = this.string(name);
      if (value !== undefined && value !== "") present[name] = value;
    }
    return present;
  }

  /** Those of the named fields that are there. */
  booleans<Name extends string>(...names: readonly Name[]): { readonly [N in Name]?: boolean } {
    const present: { [N in Name]?: boolean } = {};
    for (const name of names) {
      const value = this.unknown(name);
      if (value === undefined) continue;
      if (typeof value !== "boolean") throw wrongType(this.#pathOf(name), "true or false", value);
      present[name] = value;
    }
    return present;
  }

  list<Entry>(name: string, read: (entry: Fields) => Entry): readonly Entry[] | undefined {
    return this.#array(name)?.map((entry, index) =>
      read(Fields.of(entry, `${this.#pathOf(name)}[${index}]`)),
    );
  }

  stringList(name: string): readonly string[] | undefined {
    return this.#array(name)?.map((entry, index) => {
      if (typeof entry === "string") return entry;
      throw wrongType(`${this.#pathOf(name)}[${index}]`, "a string", entry);
    });
  }

  record<Value>(
    name: string,
    read: (fields: Fields, key: string) => Value,
  ): Readonly<Record<string, Value>> | undefined {
    const fields = this.optionalChild(name);
    if (fields === undefined) return undefined;
    return Object.fromEntries(Object.keys(fields.#record).map((key) => [key, read(fields, key)]));
  }

  optionalChild(name: string): Fields | undefined {
    const value = this.unknown(name);
    return value === undefined ? undefined : Fields.of(value, this.#pathOf(name));
  }

  /** An empty object where there is none, as Go has it. */
  child(name: string): Fields {
    return this.optionalChild(name) ?? Fields.of({}, this.#pathOf(name));
  }

  #array(name: string): readonly unknown[] | undefined {
    const value = this.unknown(name);
    if (value === undefined || Array.isArray(value)) return value;
    throw wrongType(this.#pathOf(name), "a list", value);
  }

  #pathOf(name: string): string {
    return this.#path === "" ? name : `${this.#path}.${name}`;
  }
}

function wrongType(path: string, wanted: string, value: unknown): FormatProblem {
  return new FormatProblem(`${path} must be ${wanted}, and is ${describeType(value)}`);
}

function describeType(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a mapping" : `a ${typeof value}`;
}
