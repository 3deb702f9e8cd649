import { formatJson, isDeeperThan, isRecord, type JsonPatchOperation, sortFields } from "@keelson/core";
import { goValue } from "../../patch/go-format.ts";
import type { FieldSchema } from "../../schema/field-schema.ts";
import type { Patched } from "./patched-object.ts";

/**
 * The text of a failed patch in messages: its result, or for strategic merge patches the patch itself. Fields are sorted
 * where the patch changed something, in maps and in custom objects; elsewhere they have the order of the Go type, which
 * is known for metadata only.
 */
export function patchedText({ patch, resource, apply }: Patched): string {
  if (patch.type === "strategic") return goValue(patch.patch);
  const result = apply();
  // No object of a built-in kind is nested so deeply.
  if (resource.isCustom || isDeeperThan(300, result)) return formatJson(sortFields(result));
  const touched = patch.type === "merge" ? patch.patch : touchedBy(patch.operations);
  return formatJson(asPrinted(result, resource.schema, touched));
}

function asPrinted(value: unknown, schema: FieldSchema | undefined, touched: unknown): unknown {
  if (!isRecord(value)) return value;
  const names = Object.keys(value);
  if (isRecord(touched) || schema?.additionalProperties !== undefined) names.sort();
  else if (schema?.typeName === "v1.ObjectMeta") names.sort((a, b) => metadataRank(a) - metadataRank(b));
  return fromNames(names, (name) => {
    const inner = schema?.properties?.[name];
    return asPrinted(value[name], inner, isRecord(touched) ? touched[name] : undefined);
  });
}

function fromNames(names: readonly string[], field: (name: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, field(name)]));
}

/** The objects on the paths of the operations. */
function touchedBy(operations: readonly JsonPatchOperation[]): Readonly<Record<string, unknown>> {
  const root: Record<string, unknown> = {};
  for (const { path } of operations) {
    let place = root;
    for (const name of String(path).split("/").slice(1, -1)) {
      const next = Object.hasOwn(place, name) ? place[name] : undefined;
      const inner: Record<string, unknown> = isRecord(next) ? next : {};
      Object.defineProperty(place, name, {
        value: inner,
        enumerable: true,
        configurable: true,
        writable: true,
      });
      place = inner;
    }
  }
  return root;
}

const metadataOrder = [
  "name",
  "generateName",
  "namespace",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers",
  "managedFields",
];

function metadataRank(name: string): number {
  const rank = metadataOrder.indexOf(name);
  return rank === -1 ? metadataOrder.length : rank;
}
