import { compareText, deepEqual } from "@keelson/core";
import { withoutNumberFormat } from "./number-schema.ts";
import type { SchemaPosition } from "./schema-position.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** Whether exactly one of the options must fit, or at least one. */
export type Junctor = "oneOf" | "anyOf";

type Properties = Readonly<Record<string, StructuralSchema>>;

/**
 * One object with the fields of all options, and what each option requires of them beyond that. Undefined if the options are
 * not all plain objects.
 */
export function mergeObjects(
  options: readonly StructuralSchema[],
  junctor: Junctor,
  at: SchemaPosition,
): StructuralSchema | undefined {
  const allowed = new Set(["type", "properties", "required", "x-kubernetes-preserve-unknown-fields"]);
  if (options.some((option) => Object.keys(option).some((key) => !allowed.has(key)))) return undefined;
  const names = [...new Set(options.flatMap((option) => Object.keys(option.properties ?? {})))].sort(
    compareText,
  );
  const properties = Object.fromEntries(
    names.map((name) => [
      name,
      mergeField(
        options.map((option) => option.properties?.[name]),
        at.field(name),
      ),
    ]),
  );
  const required = names.filter((name) => options.every((option) => option.required?.includes(name)));
  const branches = options.map((option) => branchOf(option, properties, required));
  const keepsUnknown = options.some((option) => option["x-kubernetes-preserve-unknown-fields"]);
  return {
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
    ...(keepsUnknown && { "x-kubernetes-preserve-unknown-fields": true }),
    ...alternatives(branches, junctor),
  };
}

/** What the options require. One that requires nothing makes anyOf true of everything, so it is left out. */
export function alternatives(branches: readonly StructuralSchema[], junctor: Junctor): StructuralSchema {
  const limits = junctor === "oneOf" || branches.every((branch) => Object.keys(branch).length > 0);
  return limits ? { [junctor]: branches } : {};
}

/** The format of all nodes, if it is one. */
export function sharedFormat([first, ...others]: readonly StructuralSchema[]): StructuralSchema {
  const format = first?.format;
  return format !== undefined && others.every((node) => node.format === format) ? { format } : {};
}

/** The limits in words that need no type and no format, except for a format that stands outside already. */
export function limitsBeside(outside: StructuralSchema, limits: StructuralSchema): StructuralSchema {
  const { format, ...rest } = limits;
  return format === outside.format ? rest : withoutNumberFormat(limits);
}

/** A field as all options together see it: what it is, and the values that any option allows. */
function mergeField(nodes: readonly (StructuralSchema | undefined)[], at: SchemaPosition): StructuralSchema {
  const present = nodes.filter((node) => node !== undefined);
  const [first, ...others] = present;
  if (first === undefined) return {};
  const isShared = present.length === nodes.length;
  if (present.some((node) => node.default !== undefined) && !(isShared && hasOneDefault(present))) {
    at.report(
      "has a default in some options of a union only, which the server would set for all of them",
      "leave out the default, or give it in every option",
    );
  }
  if (others.every((node) => deepEqual(node, first))) return first;
  if (!isScalar(first) || others.some((node) => !deepEqual(kindOf(node), kindOf(first)))) {
    at.report(
      "differs between the options of a union in more than its limits",
      "give it another name in each option",
    );
    return {};
  }
  const described = present.find(({ description }) => description !== undefined);
  const values = present.map((node) => node.enum);
  return {
    ...kindOf(first),
    ...sharedFormat(present),
    ...(described?.description !== undefined && { description: described.description }),
    ...(first.default !== undefined && { default: first.default }),
    ...(values.every((list) => list !== undefined) && { enum: [...new Set(values.flat())] }),
  };
}

function hasOneDefault(nodes: readonly StructuralSchema[]): boolean {
  return nodes.every((node) => deepEqual(node.default ?? null, nodes[0]?.default ?? null));
}

/** What one option requires beyond the merged object. */
function branchOf(
  option: StructuralSchema,
  merged: Properties,
  required: readonly string[],
): StructuralSchema {
  const own = (option.required ?? []).filter((name) => !required.includes(name));
  const limits: Record<string, StructuralSchema> = {};
  for (const [name, node] of Object.entries(option.properties ?? {})) {
    const limit = limitsBeside(merged[name] ?? {}, limitsOf(node));
    if (!deepEqual(node, merged[name]) && Object.keys(limit).length > 0) limits[name] = limit;
  }
  return {
    ...(Object.keys(limits).length > 0 && { properties: limits }),
    ...(own.length > 0 && { required: own }),
  };
}

function isScalar({ type }: StructuralSchema): boolean {
  return type !== undefined && type !== "object" && type !== "array";
}

/** What must stand outside of a junctor. */
function kindOf(node: StructuralSchema): StructuralSchema {
  return {
    ...(node.type !== undefined && { type: node.type }),
    ...(node.nullable !== undefined && { nullable: node.nullable }),
    ...(node["x-kubernetes-validations"] !== undefined && {
      "x-kubernetes-validations": node["x-kubernetes-validations"],
    }),
  };
}

/** What may stand inside of a junctor. */
function limitsOf(node: StructuralSchema): StructuralSchema {
  const { type, nullable, title, description, default: _, "x-kubernetes-validations": __, ...limits } = node;
  return limits;
}
