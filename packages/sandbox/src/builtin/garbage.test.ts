import { apiVersionOf } from "@keelson/core";
import { expect, it } from "vitest";
import { admissionWorld } from "../../test/support/admission-world.ts";
import { DecodeError } from "../schema/decode.ts";
import type { FieldSchema } from "../schema/field-schema.ts";
import { decodeValue } from "../server/body/decode-value.ts";
import { ApiError } from "../status/api-error.ts";
import { builtinServedResources } from "./builtin-resources.ts";

type Path = readonly (string | 0)[];

const depth = 3;

/** The places of a kind's fields; that of the first item for those of a list. */
function pathsOf(schema: FieldSchema, levels: number): readonly Path[] {
  if (levels === 0) return [];
  const { properties = {}, items, additionalProperties } = schema;
  const below = (name: string | 0, field: FieldSchema, left: number): readonly Path[] => [
    [name],
    ...pathsOf(field, left).map((path) => [name, ...path]),
  ];
  return [
    ...Object.entries(properties).flatMap(([name, field]) => below(name, field, levels - 1)),
    ...(items === undefined ? [] : below(0, items, levels - 1)),
    ...(typeof additionalProperties === "object" ? below("key", additionalProperties, levels - 1) : []),
  ];
}

function objectWith(path: Path, value: unknown): object {
  const given: unknown = path.reduceRight<unknown>(
    (inner, name) => (name === 0 ? [inner] : { [name]: inner }),
    value,
  );
  return Object(given);
}

const { writer, options, registry } = admissionWorld();
const kinds = builtinServedResources().filter(({ verbs }) => verbs.includes("create"));

it.each(kinds.map((kind) => [`${kind.plural}.${kind.version}.${kind.group}`, kind] as const))(
  "%s with null, or with a list or a map of it, anywhere is created or refused",
  async (_, { group, version, plural }) => {
    const resource = registry.find(group, version, plural);
    if (resource === undefined) throw new Error(`${plural} is not served`);
    const namespace = resource.scope === "Namespaced" ? "shop" : undefined;
    const target = { resource, namespace, subresource: undefined };
    const own = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: { name: "a" } };
    for (const path of pathsOf(resource.schema, depth)) {
      if (path[0] === "metadata" || path[0] === "apiVersion" || path[0] === "kind") continue;
      for (const value of [null, [null], { key: null }]) {
        try {
          const { object } = decodeValue(resource, structuredClone({ ...own, ...objectWith(path, value) }));
          await writer.create(target, object, { ...options, dryRun: true });
        } catch (error) {
          const isRefusal = error instanceof DecodeError || error instanceof ApiError;
          expect(isRefusal, `${path.join(".")} = ${JSON.stringify(value)}: ${error}`).toBe(true);
        }
      }
    }
  },
);
