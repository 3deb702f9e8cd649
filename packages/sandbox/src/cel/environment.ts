import { Environment } from "@marcbachmann/cel-js";
import type { FieldSchema } from "../schema/field-schema.ts";
import { escapeName } from "./cel-value.ts";
import { authorizerLibrary } from "./functions/authorizer.ts";
import { networkLibrary } from "./functions/ip.ts";
import { Budget, namespaced } from "./functions/library.ts";
import { listsLibrary, setFunctions } from "./functions/lists.ts";
import { namedFormatsLibrary } from "./functions/named-formats.ts";
import { quantitiesLibrary } from "./functions/quantities.ts";
import { stringsLibrary } from "./functions/strings.ts";
import { twoVariableLibrary } from "./functions/two-variables.ts";
import { urlsLibrary } from "./functions/urls.ts";
import { versionsLibrary } from "./functions/versions.ts";

/** Of the evaluation that runs now: expressions never wait, so there is at most one. */
export const budget: Budget = new Budget();

const limits = { maxAstNodes: 100_000, maxDepth: 250, maxListElements: 10_000, maxMapEntries: 10_000 };

/** Runs expressions on values without declared types; whether they fit is found out before, by checking. */
export const evaluation: Environment = withLibraries(
  new Environment({
    unlistedVariablesAreDyn: true,
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits,
  }),
);

/** What the checkers of all schemas begin with. */
const checking = withLibraries(new Environment({ enableOptionalTypes: true, limits }));

/**
 * The evaluator does not look into the argument of `has`. Checked expressions therefore call this function instead,
 * whose name is as long, so that places in the text stay the same.
 */
export const checkedHas = "hAs";
checking.registerFunction(`${checkedHas}(dyn): bool`, () => true, { async: false });

export function checkingEnvironment(): Environment {
  return checking.clone();
}

/** Functions that exist at all, with any arguments. */
export const knownFunctions: ReadonlySet<string> = new Set(
  checking.getDefinitions().functions.map(({ name }) => name),
);

function withLibraries(environment: Environment): Environment {
  const libraries = [
    stringsLibrary,
    listsLibrary,
    quantitiesLibrary,
    networkLibrary,
    urlsLibrary,
    namedFormatsLibrary,
    versionsLibrary,
    authorizerLibrary,
    namespaced("sets", "SetsNamespace", setFunctions),
    twoVariableLibrary(budget),
  ];
  for (const library of libraries) library(environment);
  return environment;
}

/**
 * Declares what expressions may do with values of a schema; gives the name of the type. Undefined for values that
 * expressions cannot see because nothing is known of them.
 */
export function declareType(
  environment: Environment,
  schema: FieldSchema,
  name: string,
  isResource: boolean,
): string | undefined {
  if (schema["x-kubernetes-int-or-string"] === true || schema.nullable === true) return "dyn";
  if (schema.type === "array") {
    const items = schema.items && declareType(environment, schema.items, `${name}.@items`, false);
    return items === undefined ? undefined : `list<${items}>`;
  }
  if (schema.type === "object") return declareObject(environment, schema, name, isResource);
  return schema.type === undefined ? undefined : scalarType(schema.type, schema.format);
}

function scalarType(type: string, format: string | undefined): string | undefined {
  if (type === "integer") return "int";
  if (type === "number") return "double";
  if (type === "boolean") return "bool";
  if (type !== "string") return undefined;
  if (format === "byte") return "bytes";
  if (format === "date" || format === "date-time") return "google.protobuf.Timestamp";
  return format === "duration" ? "google.protobuf.Duration" : "string";
}

function declareObject(
  environment: Environment,
  schema: FieldSchema,
  name: string,
  isResource: boolean,
): string | undefined {
  const { additionalProperties } = schema;
  if (typeof additionalProperties === "object") {
    const values = declareType(environment, additionalProperties, `${name}.@values`, false);
    return values === undefined ? undefined : `map<string, ${values}>`;
  }
  const fields: Record<string, string> = {};
  for (const [property, inner] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(property);
    const isHidden =
      (isResource || schema["x-kubernetes-embedded-resource"] === true) && property === "metadata";
    if (escaped === undefined || isHidden) continue;
    const type = declareType(environment, inner, `${name}.${escaped}`, false);
    if (type !== undefined) fields[escaped] = type;
  }
  if (isResource || schema["x-kubernetes-embedded-resource"] === true) {
    environment.registerType(`${name}.metadata`, { fields: { name: "string", generateName: "string" } });
    Object.assign(fields, { apiVersion: "string", kind: "string", metadata: `${name}.metadata` });
  }
  environment.registerType(name, { fields });
  return name;
}
