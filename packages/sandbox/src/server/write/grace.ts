import { formatTime, type GenericObject } from "@keelson/core";
import type { Strategy } from "../../resource/strategy.ts";

/** How a deletion of an object of a kind that ends gracefully goes on. */
export type Grace =
  /** By the common rules: at once, or when its finalizers are gone. */
  | { readonly kind: "none" }
  /** It is being deleted already, and no later than asked. */
  | { readonly kind: "pending" }
  | {
      readonly kind: "graceful";
      readonly deletionTimestamp: string;
      readonly seconds: number;
      /** What was asked for; 0 takes the object away at once. */
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
    // Whoever ends the object still is to see the end come.
    seconds: isPast && requested !== 0 ? 1 : requested,
    requestedSeconds: requested,
    isFirst: false,
  };
}
