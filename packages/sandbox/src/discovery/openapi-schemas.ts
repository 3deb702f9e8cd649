import { type RawSchema, rawSchema, rawSchemaName } from "../builtin/builtin-schemas.ts";
import type { ServedResource } from "../resource/served-resource.ts";
import type { FieldSchema } from "../schema/field-schema.ts";

import { type DescribeSchema, describedSchema } from "./schema-descriptions.ts";

export type OpenApiSchema = Readonly<Record<string, unknown>>;

/** How a version of OpenAPI writes schemas. */
export interface SchemaDialect {
  reference(name: string): OpenApiSchema;
  /** Adds the names that it refers to to `needed`. */
  builtin(raw: RawSchema, needed: Set<string>): OpenApiSchema;
  /** The schema of a custom kind. */
  custom(schema: FieldSchema): OpenApiSchema;
}

const openApi3: SchemaDialect = {
  reference: schemaReference,
  builtin: openApiOf,
  custom: (schema) => customSchema(schema, true),
};

const prefix = "#/components/schemas/";
const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** What operations name beside the kinds. */
const sharedSchemas = [`${meta}.DeleteOptions`, `${meta}.Patch`, `${meta}.Status`];

export function schemaReference(name: string): OpenApiSchema {
  return { $ref: prefix + name };
}

/** The name under which a kind's schema is published; undefined for kinds without a JSON schema, such as PodExecOptions. */
export function publishedName(
  resource: Pick<ServedResource, "isCustom">,
  group: string,
  version: string,
  kind: string,
): string | undefined {
  const builtin = rawSchemaName(group, version, kind);
  if (builtin !== undefined || !resource.isCustom) return builtin;
  return customName(group, version, kind);
}

function customName(group: string, version: string, kind: string): string {
  return `${group.split(".").reverse().join(".")}.${version}.${kind}`;
}

/** The schemas of these resources with all that they refer to, by name. */
export function publishedSchemas(
  resources: readonly ServedResource[],
  describe: DescribeSchema,
  dialect: SchemaDialect = openApi3,
): Readonly<Record<string, OpenApiSchema>> {
  const published = new Map<string, OpenApiSchema>();
  for (const resource of resources.filter(({ isCustom }) => isCustom))
    publishCustom(resource, published, dialect);
  const needed = new Set([...sharedSchemas, `${meta}.ObjectMeta`, `${meta}.ListMeta`]);
  for (const resource of resources)
    for (const name of kindsOf(resource)) if (name !== undefined) needed.add(name);
  // What is added to a Set while it is walked is walked too.
  for (const name of needed) {
    const raw = published.has(name) ? undefined : rawSchema(name);
    if (raw === undefined) continue;
    published.set(name, dialect.builtin(describedSchema(raw, describe(name)), needed));
  }
  return Object.fromEntries([...published].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function kindsOf(resource: ServedResource): readonly (string | undefined)[] {
  const { group, version, kind, listKind, subresources } = resource;
  const parts = [...subresources.values()].map((part) =>
    publishedName(resource, part.group ?? group, part.version ?? version, part.kind),
  );
  return [
    publishedName(resource, group, version, kind),
    publishedName(resource, group, version, listKind),
    ...parts,
  ];
}

/** A reference that adds something is wrapped, because what stands beside one does not count. */
function openApiOf(raw: RawSchema, needed: Set<string>): OpenApiSchema {
  const { $ref, properties, additionalProperties, items, oneOf, ...plain } = raw;
  if ($ref !== undefined) needed.add($ref);
  const isBare = $ref !== undefined && Object.keys(plain).length === 0;
  if (isBare) return schemaReference($ref);
  return {
    ...plain,
    ...($ref === undefined ? {} : { allOf: [schemaReference($ref)] }),
    ...(items === undefined ? {} : { items: openApiOf(items, needed) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: openApiOf(additionalProperties, needed) }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map((one) => openApiOf(one, needed)) }),
    ...(properties === undefined ? {} : { properties: mapped(properties, (one) => openApiOf(one, needed)) }),
  };
}

export function mapped<T>(
  fields: Readonly<Record<string, T>>,
  change: (field: T) => OpenApiSchema,
): OpenApiSchema {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)]));
}

function publishCustom(
  resource: ServedResource,
  published: Map<string, OpenApiSchema>,
  dialect: SchemaDialect,
): void {
  const { group, version, kind, listKind, schema } = resource;
  const name = customName(group, version, kind);
  const kindOf = (one: string): object => ({
    "x-kubernetes-group-version-kind": [{ group, version, kind: one }],
  });
  published.set(name, { ...dialect.custom(schema), ...kindOf(kind) });
  published.set(customName(group, version, listKind), {
    type: "object",
    required: ["items"],
    properties: {
      ...typeProperties,
      metadata: dialect.reference(`${meta}.ListMeta`),
      items: { type: "array", items: dialect.reference(name) },
    },
    ...kindOf(listKind),
  });
}

export const typeProperties: OpenApiSchema = { apiVersion: { type: "string" }, kind: { type: "string" } };

/** A definition's schema with what it leaves unsaid: the fields of resources, and what int-or-string means. */
function customSchema(schema: FieldSchema, isResource: boolean): OpenApiSchema {
  const { properties, items, additionalProperties, ...plain } = schema;
  const hasMeta = isResource || schema["x-kubernetes-embedded-resource"] === true;
  const isEither = schema["x-kubernetes-int-or-string"] === true && schema.anyOf === undefined;
  const own = properties === undefined ? {} : mapped(properties, (one) => customSchema(one, false));
  const metadata = schemaReference(`${meta}.ObjectMeta`);
  const additional =
    typeof additionalProperties === "object"
      ? customSchema(additionalProperties, false)
      : additionalProperties;
  return {
    ...plain,
    ...(isEither ? { anyOf: [{ type: "integer" }, { type: "string" }] } : {}),
    ...(items === undefined ? {} : { items: customSchema(items, false) }),
    ...(additional === undefined ? {} : { additionalProperties: additional }),
    ...(hasMeta ? { properties: { ...own, ...typeProperties, metadata } } : {}),
    ...(!hasMeta && properties !== undefined ? { properties: own } : {}),
  };
}
