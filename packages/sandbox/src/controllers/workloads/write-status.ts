import { deepEqual, type KubeObject, type Resource } from "@keelson/core";
import { type ControllerContext, controllerManager } from "../controller.ts";

/** Replaces the status of an object, unless it says the same already. Gives the object as it is then. */
export async function writeStatus<T extends KubeObject & { readonly status?: object }>(
  { objects }: Pick<ControllerContext, "objects">,
  resource: Resource<T>,
  object: T,
  status: NonNullable<T["status"]>,
): Promise<T> {
  if (deepEqual(object.status, status)) return object;
  return await objects.update(
    resource,
    { ...object, status },
    {
      manager: controllerManager,
      subresource: "status",
    },
  );
}

/** The counts that are not 0; the server omits a count of 0. */
export function nonZero<Name extends string>(
  counts: Readonly<Record<Name, number | undefined>>,
): { readonly [Each in Name]?: number } {
  const shown: { [Each in Name]?: number } = {};
  for (const name in counts) {
    const count = counts[name];
    if (count !== undefined && count !== 0) shown[name] = count;
  }
  return shown;
}
