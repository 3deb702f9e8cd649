import { deepEqual } from "@keelson/core";
import type { FieldSchema } from "../../schema/field-schema.ts";
import { goPattern } from "../../schema/go-pattern.ts";
import {
  type FieldProblem,
  forbiddenField,
  formatProblem,
  invalidValue,
  required,
} from "../../status/field-problem.ts";

type Level = "root" | "item" | "field";

/** What keeps a schema from being structural: each part has one type, and alternatives only narrow what is there. */
export function structuralProblems(schema: FieldSchema, path: string): readonly FieldProblem[] {
  return [...invariantProblems(schema, "root", path), ...completenessProblems(schema, path)].sort((a, b) =>
    formatProblem(a) < formatProblem(b) ? -1 : 1,
  );
}

function invariantProblems(schema: FieldSchema, level: Level, path: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (schema.type === "array" && schema.items === undefined) {
    problems.push(required(`${path}.items`, "must be specified"));
  }
  if (schema.items !== undefined) problems.push(...invariantProblems(schema.items, "item", `${path}.items`));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    problems.push(...invariantProblems(property, "field", `${path}.properties[${name}]`));
  }
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined && level === "root") {
    problems.push(forbiddenField(`${path}.additionalProperties`, "must not be used at the root"));
  }
  if (typeof additionalProperties === "object") {
    problems.push(...invariantProblems(additionalProperties, "field", `${path}.additionalProperties`));
  }
  return [
    ...problems,
    ...extensionProblems(schema, path),
    ...valueProblems(
      schema,
      path,
      isIntOrStringChoice(schema.anyOf),
      isIntOrStringChoice(schema.allOf?.[0]?.anyOf),
    ),
    ...typeProblems(schema, level, path),
    ...resourceProblems(schema, level, path),
  ];
}

const intOrString: readonly FieldSchema[] = [{ type: "integer" }, { type: "string" }];

function isIntOrStringChoice(choice: readonly FieldSchema[] | undefined): boolean {
  return deepEqual(choice, intOrString);
}

function extensionProblems(schema: FieldSchema, path: string): readonly FieldProblem[] {
  if (schema["x-kubernetes-int-or-string"] !== true) return [];
  return (["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const)
    .filter((extension) => schema[extension] === true)
    .map((extension) =>
      invalidValue(`${path}.${extension}`, true, "must be false if x-kubernetes-int-or-string is true"),
    );
}

const emptyType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function typeProblems(schema: FieldSchema, level: Level, path: string): readonly FieldProblem[] {
  const { type = "" } = schema;
  const problems: FieldProblem[] = [];
  const isFree =
    schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema["x-kubernetes-embedded-resource"] === true && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    problems.push(
      type === "" ? required(`${path}.type`, detail) : invalidValue(`${path}.type`, type, detail),
    );
  } else if (type === "" && !isFree) problems.push(required(`${path}.type`, emptyType[level]));
  if (level === "root" && type !== "" && type !== "object") {
    problems.push(invalidValue(`${path}.type`, type, "must be object at the root"));
  }
  return problems;
}

/** Of resources, the type and the metadata are known; a schema may only narrow the names. */
function resourceProblems(schema: FieldSchema, level: Level, path: string): readonly FieldProblem[] {
  const { properties = {} } = schema;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const problems: FieldProblem[] = [];
  if (isEmbedded && schema.additionalProperties !== undefined) {
    const detail = "must not be used if x-kubernetes-embedded-resource is set";
    problems.push(forbiddenField(`${path}.additionalProperties`, detail));
  }
  const isResource = isEmbedded || level === "root";
  for (const name of ["kind", "apiVersion"] as const) {
    const type = properties[name]?.type ?? "";
    if (isResource && properties[name] !== undefined && type !== "string") {
      problems.push(invalidValue(`${path}.properties[${name}].type`, type, "must be string"));
    }
  }
  const { metadata } = properties;
  if (metadata !== undefined && isResource)
    problems.push(...metadataProblems(metadata, level, `${path}.properties[metadata]`));
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (isEmbedded && !isOpen && Object.keys(properties).length === 0) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    problems.push(required(`${path}.properties`, detail));
  }
  return problems;
}

function metadataProblems(metadata: FieldSchema, level: Level, path: string): readonly FieldProblem[] {
  const { type = "", properties = {}, default: _, ...rest } = metadata;
  const problems = type === "object" ? [] : [invalidValue(`${path}.type`, type, "must be object")];
  const isNames = Object.keys(properties).every((name) => name === "name" || name === "generateName");
  if (level !== "root" || (isNames && Object.keys(rest).length === 0)) return problems;
  const detail =
    "must not specify anything other than name and generateName, but metadata is implicitly specified";
  return [...problems, forbiddenField(path, detail)];
}

function valueProblems(
  schema: FieldSchema,
  path: string,
  skipsAnyOf = false,
  skipsAnyOfInAllOf = false,
): readonly FieldProblem[] {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern } = schema;
  const problems: FieldProblem[] = [];
  if (!skipsAnyOf) problems.push(...anyOf.flatMap((one, at) => nestedProblems(one, `${path}.anyOf[${at}]`)));
  problems.push(
    ...allOf.flatMap((one, at) => nestedProblems(one, `${path}.allOf[${at}]`, skipsAnyOfInAllOf && at === 0)),
    ...oneOf.flatMap((one, at) => nestedProblems(one, `${path}.oneOf[${at}]`)),
  );
  if (not !== undefined) problems.push(...nestedProblems(not, `${path}.not`));
  const complaint = pattern === undefined ? undefined : complaintAbout(pattern);
  if (complaint !== undefined) {
    const detail = `must be a valid regular expression, but isn't: ${complaint}`;
    problems.push(invalidValue(`${path}.pattern`, pattern, detail));
  }
  return problems;
}

/** What Go says of an expression that it would refuse. */
function complaintAbout(pattern: string): string | undefined {
  try {
    goPattern(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Fields that only the enclosing schema may have, not its alternatives, with the message for each. */
const onlyOutside: readonly (readonly [keyof FieldSchema, string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

function nestedProblems(schema: FieldSchema, path: string, skipsAnyOf = false): readonly FieldProblem[] {
  const problems = [...valueProblems(schema, path, skipsAnyOf)];
  if (schema.items !== undefined) problems.push(...nestedProblems(schema.items, `${path}.items`));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    problems.push(...nestedProblems(property, `${path}.properties[${name}]`));
  }
  for (const [field, detail] of onlyOutside) {
    const value = schema[field];
    const isSet =
      value !== undefined && value !== false && value !== "" && !(Array.isArray(value) && value.length === 0);
    if (isSet) problems.push(forbiddenField(`${path}.${field}`, detail));
  }
  if (Object.hasOwn(schema.properties ?? {}, "metadata")) {
    problems.push(
      forbiddenField(`${path}.properties[metadata]`, "must not be specified in a nested context"),
    );
  }
  return problems;
}

/** Every property and list that an alternative mentions must be declared outside of it too. */
function completenessProblems(schema: FieldSchema, path: string): readonly FieldProblem[] {
  return alternativesOf(schema, path).flatMap(([one, at]) => missingParts(one, schema, path, at));
}

function alternativesOf(schema: FieldSchema, path: string): readonly (readonly [FieldSchema, string])[] {
  const { anyOf = [], allOf = [], oneOf = [], not } = schema;
  return [
    ...anyOf.map((one, at) => [one, `${path}.anyOf[${at}]`] as const),
    ...allOf.map((one, at) => [one, `${path}.allOf[${at}]`] as const),
    ...oneOf.map((one, at) => [one, `${path}.oneOf[${at}]`] as const),
    ...(not === undefined ? [] : [[not, `${path}.not`] as const]),
  ];
}

function missingParts(
  alternative: FieldSchema,
  outside: FieldSchema | undefined,
  path: string,
  definedAt: string,
): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (alternative.items !== undefined) {
    const at = `${definedAt}.items`;
    if (outside?.items === undefined)
      problems.push(required(`${path}.items`, `because it is defined in ${at}`));
    else problems.push(...missingParts(alternative.items, outside.items, `${path}.items`, at));
  }
  for (const [name, property] of Object.entries(alternative.properties ?? {})) {
    const [at, place] = [`${definedAt}.properties[${name}]`, `${path}.properties[${name}]`];
    const there = Object.hasOwn(outside?.properties ?? {}, name) ? outside?.properties?.[name] : undefined;
    if (there === undefined) problems.push(required(place, `because it is defined in ${at}`));
    else problems.push(...missingParts(property, there, place, at));
  }
  const nested = alternativesOf(alternative, definedAt).flatMap(([one, at]) =>
    missingParts(one, outside, path, at),
  );
  return [...problems, ...nested];
}
