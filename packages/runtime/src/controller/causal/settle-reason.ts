import type { Trigger } from "../../source/trigger.ts";
import type { ReasonRecord } from "./run-record.ts";

/** For so many reasons of a run it is worked out which fields have changed: that costs more than the rest of most runs. */
const reasonsWithPaths = 3;

/**
 * What is kept of a trigger: nothing that holds on to an object, of which the new state may be megabytes and the old one
 * nobody else has any more. The version is taken only where it is at hand: for it alone an object would be parsed.
 */
export function settleReason(trigger: Trigger, place: number): ReasonRecord {
  const { source, type, object, isInitial } = trigger;
  const paths = place < reasonsWithPaths ? pathsOf(trigger) : undefined;
  const isParsed = type === "generic" || (paths !== undefined && paths.length > 0);
  return {
    source,
    type,
    ...(object !== undefined && { object: isParsed ? { ...object } : settleObject(object) }),
    ...(isInitial !== undefined && { isInitial }),
    ...(paths !== undefined && { changedPaths: paths }),
  };
}

/** Sources may be anybody's, and what they say about their reasons is not worth a failure. */
function pathsOf({ changedPaths }: Trigger): readonly string[] | undefined {
  try {
    return changedPaths?.();
  } catch {
    return undefined;
  }
}

function settleObject({
  kind,
  namespace,
  name,
}: NonNullable<Trigger["object"]>): NonNullable<Trigger["object"]> {
  return namespace === undefined ? { kind, name } : { kind, namespace, name };
}
