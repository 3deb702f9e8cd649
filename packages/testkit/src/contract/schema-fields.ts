import { isRecord } from "@keelson/core";
import type { JSONSchemaProps } from "@keelson/core/kinds/apiextensions/v1";

/**
 * The fields of a schema that contain no other fields with names of their own, as paths: `image`, `env[].valueFrom.fieldRef`.
 * A map whose names users choose is one field.
 */
export function schemaFields(schema: JSONSchemaProps, path = ""): readonly string[] {
  const { properties, items } = schema;
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, property]) =>
      schemaFields(property, path === "" ? name : `${path}.${name}`),
    );
  if (items !== undefined && "type" in items) return schemaFields(items, `${path}[]`);
  return [path];
}

/** All values that an object has at a path of `schemaFields`, in order. */
export function valuesAt(object: unknown, path: string): readonly unknown[] {
  return path.split(".").reduce<readonly unknown[]>(
    (values, step) => {
      const fields = values.map((value) => fieldOf(value, step.replace("[]", "")));
      const found = fields.filter((field) => field !== undefined);
      return step.endsWith("[]") ? found.flat() : found;
    },
    [object],
  );
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
