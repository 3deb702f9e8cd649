import type { GenericObject } from "@keelson/core";
import { applyJsonPatch } from "../../patch/json-patch.ts";
import { applyMergePatch } from "../../patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../../patch/strategic-merge-patch.ts";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import type { JsonObject } from "../../schema/json-document.ts";
import { type ApiError, badRequest, conflict, notFound } from "../../status/api-error.ts";
import { yamlWarnings } from "../body/parse-yaml.ts";
import type { Patch } from "../body/patch-body.ts";
import type { WriteOptions } from "../options/write-options.ts";
import { applyManaged, recordManager } from "./managed-fields.ts";
import type { NamedTarget, WriterDependencies, Written } from "./object-writer.ts";
import { decodePatched, type PlainPatch } from "./patched-object.ts";
import { rewriteObject } from "./rewrite.ts";
import { setDefaults } from "./schema-steps.ts";
import { checkName, placeInNamespace, tidyMetadata } from "./system-metadata.ts";

export async function patchObject(
  dependencies: WriterDependencies,
  target: NamedTarget,
  patch: Patch,
  options: WriteOptions,
): Promise<Written> {
  const { subresource } = target;
  return rewriteObject(dependencies, {
    target,
    options,
    mayCreate: patch.type === "apply" && subresource === undefined,
    change(current) {
      const object = patchedState(dependencies, target, patch, options, current);
      const { uid } = object.metadata;
      if (current === undefined && uid !== undefined) throw unknownUid(target, uid);
      placeInNamespace(object.metadata, target);
      checkName(object.metadata, target);
      return object;
    },
  });
}

function patchedState(
  dependencies: WriterDependencies,
  target: NamedTarget,
  patch: Patch,
  options: WriteOptions,
  current: GenericObject | undefined,
): MutableObject {
  const { resource } = target;
  if (patch.type === "apply") {
    const applied = applyManaged(dependencies, target, patch, options, current);
    reportRepeated(patch, options);
    tidyMetadata(applied.metadata);
    setDefaults(resource, applied);
    return applied;
  }
  // Only server-side apply creates an object.
  if (current === undefined) throw notFound(resource, target.name);
  const apply = (): JsonObject => patchedJson(resource, patch, current);
  const object = decodePatched({ resource, registry: dependencies.registry, patch, options, apply });
  tidyMetadata(object.metadata);
  setDefaults(resource, object);
  recordManager(dependencies, target, object, current, options);
  return object;
}

/** Apply configurations are YAML, and have their own message for duplicate fields. */
function reportRepeated({ repeated = [] }: Patch, { fieldValidation, warn }: WriteOptions): void {
  if (repeated.length === 0 || fieldValidation === "Ignore") return;
  if (fieldValidation === "Strict") {
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${repeated.join(", ")}`);
  }
  for (const problem of repeated.flatMap(yamlWarnings)) warn(problem);
}

function patchedJson(resource: ServedResource, patch: PlainPatch, current: GenericObject): JsonObject {
  if (patch.type === "json") return applyJsonPatch(current, patch.operations);
  if (patch.type === "merge") return applyMergePatch(current, patch.patch);
  return applyStrategicMergePatch(current, patch.patch, resource.schema);
}

function unknownUid({ resource, name }: NamedTarget, uid: string): ApiError {
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  return conflict(resource, name, why);
}
