import { formatTime, type GenericObject } from "@keelson/core";
import type { Strategy } from "../../resource/strategy.ts";

/** The next step of a deletion of an object with a grace period. */
export type Grace =
  /** By the common rules: at once, or when the finalizers are removed. */
  | { readonly kind: "none" }
  /** It is being deleted already, and no later than requested. */
  | { readonly kind: "pending" }
  | {
      readonly kind: "graceful";
      readonly deletionTimestamp: string;
      readonly seconds: number;
      /** The requested grace period; 0 removes the object at once. */
      readonly requestedSeconds: number;
      readonly isFirst: boolean;
    };

export function graceOf(
  strategy: Strategy,
  object: GenericObject,
  given: number | undefined,
  now: number,
): Grace {
  if (strategy.gracePeriodSeconds === undefined) return { kind: "none" };
  const requested = given !== undefined && given < 0 ? 1 : given;
  if (object.metadata.deletionTimestamp !== undefined) return shortenedGrace(object, requested, now);
  const seconds = strategy.gracePeriodSeconds(object, requested);
  const deletionTimestamp = formatTime(now + seconds * 1000);
  return { kind: "graceful", deletionTimestamp, seconds, requestedSeconds: seconds, isFirst: true };
}

/** A second deletion may only be sooner than the first. */
function shortenedGrace({ metadata }: GenericObject, requested: number | undefined, now: number): Grace {
  const { deletionTimestamp = "", deletionGracePeriodSeconds = 0 } = metadata;
  const before = deletionGracePeriodSeconds < 0 ? 1 : deletionGracePeriodSeconds;
  if (before === 0) return { kind: "none" };
  if (requested === undefined || requested >= before) return { kind: "pending" };
  const end = Date.parse(deletionTimestamp) + (requested - before) * 1000;
  const isPast = end < now;
  return {
    kind: "graceful",
    deletionTimestamp: formatTime(isPast ? now : end),
    // The kubelet must still see the object as being deleted.
    seconds: isPast && requested !== 0 ? 1 : requested,
    requestedSeconds: requested,
    isFirst: false,
  };
}
