import { createObject } from "./create.ts";
import { deleteObject, deleteObjects } from "./delete.ts";
import type { ObjectWriter } from "./object-writer.ts";
import { patchObject } from "./patch.ts";
import { updateObject } from "./update.ts";
import { type WriterDependencies, withReader } from "./writer-dependencies.ts";

/** Objects that are passed to `create` and `update` become the writer's; whoever needs them passes a copy. */
export function createObjectWriter(dependencies: WriterDependencies): ObjectWriter {
  const tools = withReader(dependencies);
  return {
    create: (target, object, options) => createObject(tools, target, object, options),
    update: (target, object, options) => updateObject(tools, target, object, options),
    patch: (target, patch, options) => patchObject(tools, target, patch, options),
    delete: (target, options) => deleteObject(tools, target, options),
    deleteCollection: (resource, objects, options) => deleteObjects(tools, resource, objects, options),
  };
}
