import { isRecord, type ObjectKey, type Resource } from "@keelson/core";
import type { LogFields } from "../logger.ts";
import type { ControllerDefinition } from "./controller-definition.ts";

/** The fields of every line of a controller's log [CT16]. */
export function controllerFields({
  name,
  kind,
}: Pick<ControllerDefinition<never>, "name" | "kind">): LogFields {
  if (kind === undefined) return { controller: name };
  return { controller: name, controllerGroup: kind.group, controllerKind: kind.kind };
}

/** The fields for the key in every line of a reconcile's log [CT16]. A key that names no object is logged as its text. */
export function keyFields<Key>(
  kind: Resource | undefined,
  formatKey: (key: Key) => string,
): (key: Key) => LogFields {
  return (key) => {
    if (!isObjectKey(key)) return { key: formatKey(key) };
    const { namespace = "", name } = key;
    if (kind === undefined) return { namespace, name };
    return { [kind.kind]: { namespace, name }, namespace, name };
  };
}

function isObjectKey(key: unknown): key is ObjectKey {
  return isRecord(key) && typeof key.name === "string";
}
