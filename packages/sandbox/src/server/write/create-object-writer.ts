import { createObject } from "./create.ts";
import { deleteObject, deleteObjects } from "./delete.ts";
import type { ObjectWriter, WriterDependencies } from "./object-writer.ts";
import { patchObject } from "./patch.ts";
import { updateObject } from "./update.ts";

/** The writer changes the objects that are passed to `create` and `update`; a caller that still needs them passes a copy. */
export function createObjectWriter(dependencies: WriterDependencies): ObjectWriter {
  return {
    create: (target, object, options) => createObject(dependencies, target, object, options),
    update: (target, object, options) => updateObject(dependencies, target, object, options),
    patch: (target, patch, options) => patchObject(dependencies, target, patch, options),
    delete: (target, options) => deleteObject(dependencies, target, options),
    deleteCollection: (resource, objects, options) => deleteObjects(dependencies, resource, objects, options),
  };
}
