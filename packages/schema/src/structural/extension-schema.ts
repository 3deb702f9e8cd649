import type { ValidationRule } from "@keelson/core/kinds/apiextensions/v1";
import type { Extension } from "./extension.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** The node with what the extensions add to it. */
export function withExtensions(node: StructuralSchema, extensions: readonly Extension[]): StructuralSchema {
  return extensions.reduce(withExtension, node);
}

function withExtension(node: StructuralSchema, extension: Extension): StructuralSchema {
  const { rule, immutable, listType, listMapKeys, atomic, mapSize, format } = extension;
  const rules = [
    ...(rule === undefined ? [] : [rule]),
    ...(immutable === undefined ? [] : [{ rule: "self == oldSelf", message: immutable }]),
  ];
  return {
    ...withRules(node, rules),
    ...(listType !== undefined && { "x-kubernetes-list-type": listType }),
    ...(listMapKeys !== undefined && { "x-kubernetes-list-map-keys": listMapKeys }),
    ...(format !== undefined && { format }),
    ...(mapSize?.min !== undefined && { minProperties: mapSize.min }),
    ...(mapSize?.max !== undefined && { maxProperties: mapSize.max }),
    ...(atomic &&
      (node.type === "array"
        ? { "x-kubernetes-list-type": "atomic" }
        : { "x-kubernetes-map-type": "atomic" })),
  };
}

/** The node with the rules behind those it has. */
export function withRules(node: StructuralSchema, rules: readonly ValidationRule[]): StructuralSchema {
  if (rules.length === 0) return node;
  return { ...node, "x-kubernetes-validations": [...(node["x-kubernetes-validations"] ?? []), ...rules] };
}
