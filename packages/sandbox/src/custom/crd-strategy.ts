import { deepEqual, draft, type GenericObject, isRecord } from "@keelson/core";
import type { MutableObject } from "../resource/mutable-object.ts";
import { dnsSubdomainProblems } from "../resource/name-problems.ts";
import type { Strategy, WriteContext } from "../resource/strategy.ts";
import type { FieldSchema } from "../schema/field-schema.ts";
import { isKnownFormat } from "../schema/formats.ts";
import { type FieldProblem, indexed, invalidValue, required } from "../status/field-problem.ts";
import { apiApproval, approvalAnnotation } from "./definition/api-approval.ts";
import {
  type Definition,
  definitionOf,
  fieldSchemaOf,
  hasCondition,
  setDefinitionDefaults,
} from "./definition/definition.ts";
import { namesProblems, specProblems } from "./definition/definition-problems.ts";

/** How CustomResourceDefinitions are written. */
export const crdStrategy: Strategy = {
  setDefaults: setDefinitionDefaults,
  prepareForCreate(object) {
    object.status = { conditions: null, acceptedNames: { plural: "", kind: "" } };
    recordStoredVersion(object);
  },
  prepareForUpdate(object, old, { subresource }) {
    if (subresource === "status") {
      object.spec = draft(old.spec);
      return;
    }
    object.status = draft(old.status ?? {});
    recordStoredVersion(object);
  },
  validateNew: (object) => nameProblems(definitionOf(object)),
  validate: definitionProblems,
  validateUpdate: changeProblems,
  warnings: formatWarnings,
  countsGenerations: true,
  allowsCreateOnUpdate: false,
  allowsUnconditionalUpdate: false,
  nameProblem: (name) => dnsSubdomainProblems(name)[0],
};

/** The version in which objects are written from now on is one that objects may be stored in. */
function recordStoredVersion(object: MutableObject): void {
  const { spec } = definitionOf(object);
  const storage = (spec.versions ?? []).find((version) => version.storage)?.name;
  const status = isRecord(object.status) ? object.status : {};
  const stored = Array.isArray(status.storedVersions) ? status.storedVersions : [];
  if (storage === undefined || stored.includes(storage)) return;
  object.status = { ...status, storedVersions: [...stored, storage] };
}

function definitionProblems(object: GenericObject, { subresource }: WriteContext): readonly FieldProblem[] {
  const definition = definitionOf(object);
  const { acceptedNames } = definition.status ?? {};
  const ofNames = acceptedNames === undefined ? [] : namesProblems(acceptedNames, "status.acceptedNames");
  if (subresource === "status") return ofNames;
  return [
    ...specProblems(definition),
    ...ofNames,
    ...storedVersionProblems(definition),
    ...approvalProblems(definition),
    ...openProblems(definition),
  ];
}

function nameProblems({ metadata, spec }: Definition): readonly FieldProblem[] {
  const { name } = metadata;
  if (!name || name === `${spec.names.plural ?? ""}.${spec.group ?? ""}`) return [];
  return [invalidValue("metadata.name", name, 'must be spec.names.plural+"."+spec.group')];
}

function storedVersionProblems({ spec, status }: Definition): readonly FieldProblem[] {
  const field = "status.storedVersions";
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return [invalidValue(field, null, "must have at least one stored version")];
  const versions = spec.versions ?? [];
  const missing = versions.filter(({ name, storage }) => storage && !stored.includes(name));
  const gone = [...stored.entries()].filter(([, name]) => !versions.some((version) => version.name === name));
  return [
    ...missing.map(({ name }) => invalidValue(field, stored, `must have the storage version ${name}`)),
    ...gone.map(([index, name]) =>
      invalidValue(
        indexed(field, index),
        name,
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
      ),
    ),
  ];
}

/** Groups of the project need its approval. */
function approvalProblems(definition: Definition): readonly FieldProblem[] {
  const approval = apiApproval(definition);
  const field = `metadata.annotations[${approvalAnnotation}]`;
  if (approval?.state === "missing") return [required(field, approval.message)];
  if (approval?.state !== "invalid") return [];
  return [invalidValue(field, definition.metadata.annotations?.[approvalAnnotation], approval.message)];
}

function openProblems({ spec }: Definition): readonly FieldProblem[] {
  if (spec.preserveUnknownFields !== true) return [];
  const detail =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [invalidValue("spec.preserveUnknownFields", true, detail)];
}

const immutable = "field is immutable";

/** The names under which objects are stored may not change, once there may be objects. */
function changeProblems(
  object: GenericObject,
  oldObject: GenericObject,
  { subresource }: WriteContext,
): readonly FieldProblem[] {
  if (subresource === "status") return [];
  const { spec } = definitionOf(object);
  const old = definitionOf(oldObject);
  const problems: FieldProblem[] = [];
  const keep = (field: string, value: unknown, before: unknown): void => {
    if (!deepEqual(value, before)) problems.push(invalidValue(field, value, immutable));
  };
  if (hasCondition(old, "Established")) {
    keep("spec.scope", spec.scope, old.spec.scope);
    keep("spec.names.kind", spec.names.kind, old.spec.names.kind);
  }
  keep("spec.group", spec.group, old.spec.group);
  keep("spec.names.plural", spec.names.plural, old.spec.names.plural);
  return problems;
}

/** Warnings about formats that the server does not check, except those that the old definition has already. */
function formatWarnings(object: GenericObject, old: GenericObject | undefined): readonly string[] {
  const known = old === undefined ? [] : unknownFormats(old);
  return unknownFormats(object)
    .filter((format) => !known.includes(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unknownFormats(object: GenericObject): readonly string[] {
  const { versions = [] } = definitionOf(object).spec;
  const schemas = versions.flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
  return [...new Set(schemas.flatMap((schema) => formatsOf(fieldSchemaOf(schema))))];
}

function formatsOf(schema: FieldSchema): readonly string[] {
  const { type, format = "", items, properties = {}, additionalProperties } = schema;
  const own = format === "" || isFormatOf(type, format) ? [] : [format];
  const inner = [
    ...(items === undefined ? [] : [items]),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.not === undefined ? [] : [schema.not]),
    ...Object.values(properties),
    ...(typeof additionalProperties === "object" ? [additionalProperties] : []),
  ];
  return [...own, ...inner.flatMap(formatsOf)];
}

function isFormatOf(type: string | undefined, format: string): boolean {
  if (type === "integer") return format === "int32" || format === "int64";
  if (type === "number") return format === "float" || format === "double";
  return (type === undefined || type === "string") && isKnownFormat(format);
}
