import type { GenericObject, OwnerReference } from "@keelson/core";
import type { ControllerContext } from "../../controller.ts";
import type { OwnershipGraph } from "./ownership-graph.ts";

/** Tells users of owners that exist, but where they cannot own this object. */
export function tellOfWrongNamespaces(
  { recordEvent }: ControllerContext,
  graph: OwnershipGraph,
  object: GenericObject,
  references: readonly OwnerReference[],
): void {
  const { namespace = "" } = object.metadata;
  for (const { apiVersion, kind, name, uid } of references) {
    const owner = graph.get(uid)?.object;
    if (owner?.metadata.namespace === undefined || owner.metadata.namespace === namespace) continue;
    const identity = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
    recordEvent(object, {
      component: "garbage-collector-controller",
      type: "Warning",
      reason: "OwnerRefInvalidNamespace",
      message: `ownerRef ${identity} does not exist in namespace ${JSON.stringify(namespace)}`,
    });
  }
}
