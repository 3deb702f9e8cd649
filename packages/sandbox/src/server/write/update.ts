import { draft, type GenericObject } from "@keelson/core";
import { etcdKey } from "../../resource/etcd-key.ts";
import type { MutableObject } from "../../resource/mutable-object.ts";
import { conflict } from "../../status/api-error.ts";
import type { WriteOptions } from "../options/write-options.ts";
import { recordManager } from "./managed-fields.ts";
import type { NamedTarget, WriterDependencies, Written } from "./object-writer.ts";
import { rewriteObject } from "./rewrite.ts";
import { setDefaults } from "./schema-steps.ts";
import { checkName, dropDuplicateOwners, placeInNamespace, tidyMetadata } from "./system-metadata.ts";

/** A PUT. Changes the object that is passed. */
export async function updateObject(
  dependencies: WriterDependencies,
  target: NamedTarget,
  object: MutableObject,
  options: WriteOptions,
): Promise<Written> {
  const { resource, subresource } = target;
  const { metadata } = object;
  tidyMetadata(metadata);
  placeInNamespace(metadata, target);
  checkName(metadata, target);
  dropDuplicateOwners(metadata, options.warn, "before admission");
  setDefaults(resource, object);
  const { uid } = metadata;
  // With a resource version, a second attempt ends in a conflict before the object matters.
  const isRepeatable = metadata.resourceVersion === undefined;
  return rewriteObject(dependencies, {
    target,
    options,
    mayCreate: subresource === undefined && resource.strategy.allowsCreateOnUpdate,
    precondition(current) {
      if (uid !== undefined) checkUid(target, uid, current);
    },
    change(current) {
      const desired = isRepeatable ? draft(object) : object;
      // For the scale subresource, managed fields are tracked on the Scale.
      if (subresource !== "scale") recordManager(dependencies, target, desired, current, options);
      return desired;
    },
  });
}

function checkUid(target: NamedTarget, uid: string, current: GenericObject | undefined): void {
  const actual = current?.metadata.uid ?? "";
  if (actual === uid) return;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`;
  throw conflict(
    target.resource,
    target.name,
    `StorageError: invalid object, Code: 4, Key: ${etcdKey(target)}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
  );
}
