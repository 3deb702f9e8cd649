import { isRecord } from "@keelson/core";
import type { RawSchema } from "../builtin/builtin-schemas.ts";
import { shortDescriptions } from "./short-descriptions.ts";

/** What a type is and what its fields are for. */
export interface SchemaDescriptions {
  readonly description?: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The descriptions of a built-in type, by the name of its schema; undefined if there are none. */
export type DescribeSchema = (schemaName: string) => SchemaDescriptions | undefined;

/**
 * Takes the descriptions from Kubernetes' own OpenAPI v2 document, which is read when the first one is needed. Types that
 * it does not describe, or all if there is no document, have the short ones of this package.
 */
export function schemaDescriptions(readDocument: () => string | undefined = () => undefined): DescribeSchema {
  let document: ReadonlyMap<string, SchemaDescriptions> | undefined;
  return (schemaName) => {
    document ??= documentDescriptions(readDocument());
    return document.get(schemaName) ?? shortDescriptions[schemaName];
  };
}

function documentDescriptions(text: string | undefined): ReadonlyMap<string, SchemaDescriptions> {
  const document: unknown = text === undefined ? undefined : JSON.parse(text);
  const definitions = isRecord(document) && isRecord(document.definitions) ? document.definitions : {};
  const described = Object.entries(definitions).flatMap(([name, schema]): [string, SchemaDescriptions][] =>
    isRecord(schema) ? [[name, descriptionsOf(schema)]] : [],
  );
  return new Map(described);
}

function descriptionsOf({ description, properties }: Readonly<Record<string, unknown>>): SchemaDescriptions {
  const fields = Object.entries(isRecord(properties) ? properties : {}).flatMap(
    ([name, field]): [string, string][] =>
      isRecord(field) && typeof field.description === "string" ? [[name, field.description]] : [],
  );
  return {
    ...(typeof description === "string" && { description }),
    fields: Object.fromEntries(fields),
  };
}

/** A schema with its descriptions. */
export function describedSchema(raw: RawSchema, descriptions: SchemaDescriptions | undefined): RawSchema {
  if (descriptions === undefined) return raw;
  const { description, fields } = descriptions;
  const properties = Object.entries(raw.properties ?? {}).map(([name, field]): [string, RawSchema] => {
    const text = fields[name];
    return [name, text === undefined ? field : { ...field, description: text }];
  });
  return {
    ...raw,
    ...(description !== undefined && { description }),
    ...(raw.properties !== undefined && { properties: Object.fromEntries(properties) }),
  };
}
