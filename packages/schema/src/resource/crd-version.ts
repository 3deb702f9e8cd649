import type {
  CustomResourceDefinitionVersion,
  CustomResourceSubresourceScale,
} from "@keelson/core/kinds/apiextensions/v1";
import { z } from "zod";
import type { SchemaProblem } from "../errors.ts";
import { withRules } from "../structural/extension-schema.ts";
import { SchemaPosition } from "../structural/schema-position.ts";
import { checkStructuralSchema } from "../structural/structural-rules.ts";
import type { StructuralSchema } from "../structural/structural-schema.ts";
import { structuralSchemaOf } from "../structural/structural-schema-of.ts";
import { checkPaths } from "./path-rules.ts";
import type { ResourceDefinition } from "./resource-definition.ts";

/** One version of a CustomResourceDefinition; what is wrong with it goes into the list. */
export function makeVersion(
  definition: ResourceDefinition,
  storage: boolean,
  problems: SchemaProblem[],
): CustomResourceDefinitionVersion {
  const {
    version,
    served = true,
    deprecated = false,
    status,
    printerColumns = [],
    selectableFields = [],
  } = definition;
  const schema = rootSchema(definition, SchemaPosition.root(problems));
  const scale = scaleOf(definition);
  checkPaths({ schema, printerColumns, selectableFields, scale }, problems);
  const subresources = { ...(status !== undefined && { status: {} }), ...(scale !== undefined && { scale }) };
  return {
    name: version,
    served,
    storage,
    ...(deprecated !== false && { deprecated: true }),
    ...(typeof deprecated === "string" && { deprecationWarning: deprecated }),
    schema: { openAPIV3Schema: schema },
    ...(Object.keys(subresources).length > 0 && { subresources }),
    ...(printerColumns.length > 0 && { additionalPrinterColumns: printerColumns }),
    ...(selectableFields.length > 0 && {
      selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })),
    }),
  };
}

const ownNames: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "spec", "status"]);

function rootSchema(definition: ResourceDefinition, at: SchemaPosition): StructuralSchema {
  const { description, spec, status, fields, rules = [] } = definition;
  for (const name of Object.keys(fields?.shape ?? {}))
    if (ownNames.has(name)) at.field(name).report("is a field that every kind has", "use another name");
  const parts = z.object({
    ...fields?.shape,
    ...(spec !== undefined && { spec }),
    ...(status !== undefined && { status: z.optional(status) }),
  });
  const made = structuralSchemaOf(parts, at);
  const schema: StructuralSchema = withRules(
    {
      ...made,
      ...(description !== undefined && { description }),
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: { type: "object" },
        ...made.properties,
      },
    },
    rules,
  );
  for (const name of ["spec", "status"]) {
    const part = made.properties?.[name];
    if (part === undefined) continue;
    const isObject = part.type === "object" || part["x-kubernetes-preserve-unknown-fields"] === true;
    if (!isObject) at.field(name).report("is not an object", "use z.object()");
  }
  checkStructuralSchema(schema, at);
  return schema;
}

function scaleOf({ scale }: ResourceDefinition): CustomResourceSubresourceScale | undefined {
  if (scale === undefined) return undefined;
  return { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas", ...scale };
}
