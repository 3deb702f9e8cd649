import type { GenericObject } from "@keelson/core";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import { applySchemaDefaults, dropNulls } from "../../schema/custom-form.ts";
import { schemaProblems } from "../../schema/validate.ts";
import type { FieldProblem } from "../../status/field-problem.ts";
import { fitsSchema } from "./fits-schema.ts";

/** Sets the defaults of the schema, then those of the kind. */
export function setDefaults({ schema, strategy, isCustom }: ServedResource, object: MutableObject): void {
  applySchemaDefaults(object, schema);
  if (isCustom) dropNulls(object, schema);
  strategy.setDefaults(object);
}

/** The violations of the schema of a custom kind; the code of built-in kinds validates them. */
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
