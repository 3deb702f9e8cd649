import type { GenericObject } from "@keelson/core";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import { applySchemaDefaults, dropNulls } from "../../schema/custom-form.ts";
import { schemaProblems } from "../../schema/validate.ts";
import type { FieldProblem } from "../../status/field-problem.ts";
import { fitsSchema } from "./fits-schema.ts";

/** Fills in what is left out: first by the schema, then by the kind. */
export function setDefaults({ schema, strategy, isCustom }: ServedResource, object: MutableObject): void {
  applySchemaDefaults(object, schema);
  if (isCustom) dropNulls(object, schema);
  strategy.setDefaults(object);
}

/** What the schema of a custom kind has against the object; built-in ones are checked by their code. */
export function schemaProblemsOf(
  { schema, isCustom }: ServedResource,
  object: GenericObject,
  old: GenericObject | undefined,
  subresource: string | undefined,
): readonly FieldProblem[] {
  if (!isCustom) return [];
  if (subresource !== "status") {
    return fitsSchema(object, schema) ? [] : schemaProblems(object, schema, "", old);
  }
  const { status } = object;
  const statusSchema = schema.properties?.status;
  if (statusSchema === undefined || status === undefined || fitsSchema(status, statusSchema)) return [];
  return schemaProblems(status, statusSchema, "status", old?.status);
}
