import { isDeclared, referenceOf, type Schema } from "./schema.ts";

/** What the text of a type may use: the schemas that other schemas refer to, and the names that the file gives to types. */
export interface TypeScope {
  /** The schema of this full name; throws if the server has none. */
  schemaOf(schemaName: string): Schema;
  /** How the file calls the interface of a schema. Asking makes the file import it. */
  nameOf(schemaName: string): string;
  /** How the file calls core's `Keyed`. Asking makes the file import it. */
  keyed(): string;
}

/** The TypeScript type of the values that a schema describes: structure only, and nothing that can be changed. */
export function typeText(schema: Schema, scope: TypeScope): string {
  const referred = referenceOf(schema);
  if (referred !== undefined) {
    const target = scope.schemaOf(referred);
    return isDeclared(target) ? scope.nameOf(referred) : typeText(target, scope);
  }
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.oneOf !== undefined) return schema.oneOf.map((choice) => typeText(choice, scope)).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return listText(schema, scope);
    case "object":
      return `Readonly<Record<string, ${typeText(schema.additionalProperties ?? {}, scope)}>>`;
    case undefined:
      return "unknown";
    default:
      throw new Error(`translate type ${schema.type}: it is unknown; teach scripts/kinds to`);
  }
}

function listText(list: Schema, scope: TypeScope): string {
  const element = list.items ?? {};
  const text = typeText(element, scope);
  if (list["x-kubernetes-list-type"] === "map") {
    const keys = neededKeys(list, scope).map((key) => JSON.stringify(key));
    return `${scope.keyed()}<${text}, ${keys.join(" | ")}>`;
  }
  return /^readonly | \| /.test(text) ? `readonly (${text})[]` : `readonly ${text}[]`;
}

/**
 * The keys of a list that is merged by key without which the server cannot identify an element. A key that
 * is not required has a default, such as a port's protocol, or identifies an element by its absence. Where no key is
 * required all of them are needed, because the server refuses an element that has none.
 */
function neededKeys(list: Schema, scope: TypeScope): readonly string[] {
  const keys = list["x-kubernetes-list-map-keys"] ?? [];
  const referred = referenceOf(list.items ?? {});
  if (keys.length === 0 || referred === undefined)
    throw new Error("translate a list that is merged by key: it has no keys, or its elements no name");
  const required = scope.schemaOf(referred).required ?? [];
  const needed = keys.filter((key) => required.includes(key));
  return needed.length === 0 ? keys : needed;
}
