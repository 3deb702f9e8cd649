import type { GenericObject } from "@keelson/core";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import { applySchemaDefaults, dropNulls } from "../../schema/custom-form.ts";
import type { FieldSchema } from "../../schema/field-schema.ts";
import { valueProblems } from "../../schema/validate.ts";
import { embeddedResourceProblems, listKeyProblems } from "../../schema/validate-custom.ts";
import type { FieldProblem } from "../../status/field-problem.ts";
import { fitsSchema } from "./fits-schema.ts";

/** Sets the defaults of the schema, then those of the kind. */
export function setDefaults({ schema, strategy, isCustom }: ServedResource, object: MutableObject): void {
  applySchemaDefaults(object, schema);
  if (isCustom) dropNulls(object, schema);
  strategy.setDefaults(object);
}

/** The violations of the schema of a custom kind; the code of built-in kinds validates them. */
export interface SchemaProblems {
  /** Of values; those of the kind's own rules come after them. */
  readonly values: readonly FieldProblem[];
  /** Of embedded resources, sets and maps. */
  readonly structure: readonly FieldProblem[];
}

const noProblems: SchemaProblems = { values: [], structure: [] };

export function schemaProblemsOf(
  { schema, isCustom }: ServedResource,
  object: GenericObject,
  old: GenericObject | undefined,
  subresource: string | undefined,
): SchemaProblems {
  if (!isCustom) return noProblems;
  if (subresource === "status") return statusProblems(schema, object, old);
  if (fitsSchema(object, schema)) return noProblems;
  return {
    values: valueProblems(object, schema, "", old),
    structure: [...embeddedResourceProblems(object, schema, ""), ...listProblems(schema, object, old)],
  };
}

/** A write of the status: values are judged from there, and resources that are embedded in it are not. */
function statusProblems(
  schema: FieldSchema,
  object: GenericObject,
  old: GenericObject | undefined,
): SchemaProblems {
  const { status } = object;
  const statusSchema = schema.properties?.status;
  if (statusSchema === undefined || status === undefined || fitsSchema(status, statusSchema))
    return noProblems;
  const values = valueProblems(status, statusSchema, "", old?.status).map((problem) => ({
    ...problem,
    field: problem.field === "<nil>" ? "status" : `status.${problem.field}`,
  }));
  return { values, structure: listProblems(schema, object, old) };
}

/** Sets and maps that were wrong before may stay so. */
function listProblems(
  schema: FieldSchema,
  object: GenericObject,
  old: GenericObject | undefined,
): readonly FieldProblem[] {
  const problems = listKeyProblems(object, schema, "");
  const isOld = old !== undefined && problems.length > 0 && listKeyProblems(old, schema, "").length > 0;
  return isOld ? [] : problems;
}
