import type { Trigger } from "../../source/trigger.ts";
import type { ReasonRecord } from "./run-record.ts";

/**
 * What is kept of a trigger: nothing that holds on to an object, of which the new state may be megabytes and the old one
 * nobody else has any more. The version is taken only where it is at hand: for it alone an object would be parsed.
 */
export function settleReason({ source, type, object, isInitial, changedPaths }: Trigger): ReasonRecord {
  const paths = changedPaths?.();
  const isParsed = type === "generic" || (paths !== undefined && paths.length > 0);
  return {
    source,
    type,
    ...(object !== undefined && { object: isParsed ? { ...object } : settleObject(object) }),
    ...(isInitial !== undefined && { isInitial }),
    ...(paths !== undefined && { changedPaths: paths }),
  };
}

function settleObject({
  kind,
  namespace,
  name,
}: NonNullable<Trigger["object"]>): NonNullable<Trigger["object"]> {
  return namespace === undefined ? { kind, name } : { kind, namespace, name };
}
