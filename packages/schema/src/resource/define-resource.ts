import { freeze, type Scope } from "@keelson/core";
import { SchemaError } from "../errors.ts";
import { makeCrd, pluralOf } from "./crd.ts";
import type { DefinedResource } from "./defined-resource.ts";
import type { FieldsSchema, PartSchema, ResourceDefinition } from "./resource-definition.ts";

/**
 * Makes a kind of your own: a value to pass to clients and controllers, whose objects are typed by its zod schemas, and
 * the CustomResourceDefinition that teaches it to an API server.
 *
 * Throws a SchemaError with everything about it that Kubernetes could not take.
 */
export function defineResource<
  const Group extends string,
  const Version extends string,
  const Kind extends string,
  Spec extends PartSchema = undefined,
  Status extends PartSchema = undefined,
  const ObjectScope extends Scope = "Namespaced",
  Fields extends FieldsSchema = undefined,
>(
  definition: ResourceDefinition<Group, Version, Kind, Spec, Status, ObjectScope, Fields>,
): DefinedResource<Group, Version, Kind, Spec, Status, ObjectScope, Fields>;
export function defineResource(
  definition: ResourceDefinition,
): DefinedResource<string, string, string, PartSchema, PartSchema, Scope, FieldsSchema> {
  const { group, version, kind, scope = "Namespaced", plural = pluralOf(kind), spec, status } = definition;
  const { crd, problems } = makeCrd({ ...definition, plural });
  if (problems.length > 0) throw new SchemaError(`${kind} in ${group}/${version}`, problems);
  const frozen = freeze(crd);
  return { group, version, kind, plural, scope, schemas: { spec, status }, definition, crd: () => frozen };
}
