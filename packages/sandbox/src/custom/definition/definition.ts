import { deepEqual, type GenericObject } from "@keelson/core";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from "@keelson/core/kinds/apiextensions/v1";
import type { MutableObject } from "../../resource/mutable-object.ts";
import { decoded } from "../../resource/mutable-object.ts";
import type { FieldSchema } from "../../schema/field-schema.ts";

export type Definition = CustomResourceDefinition;
export type DefinitionVersion = CustomResourceDefinitionVersion;

/** The store and the server hold what the kind's schema says: everything was decoded by it. */
export function definitionOf(object: GenericObject | MutableObject): Definition {
  return decoded<Definition>(object);
}

/** A schema as it is written in a definition; validation has made sure that `items` is one schema. */
export function fieldSchemaOf(schema: JSONSchemaProps): FieldSchema {
  return schema as FieldSchema;
}

/**
 * Where the real server looks for a part of the versions: if all have the same, it keeps it once for all of them, and
 * its messages name that place.
 */
export function sharedPart<T>(
  versions: readonly DefinitionVersion[],
  part: (version: DefinitionVersion) => T | undefined,
): T | undefined {
  const [first] = versions;
  const value = first && part(first);
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
  return versions.every((version) => deepEqual(part(version), value)) ? value : undefined;
}

export function hasCondition({ status }: Definition, type: string): boolean {
  return (status?.conditions ?? []).some((one) => one.type === type && one.status === "True");
}

export const crdCollection = "customresourcedefinitions.apiextensions.k8s.io";
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";
