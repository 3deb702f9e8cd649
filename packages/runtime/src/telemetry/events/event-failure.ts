import {
  ApiError,
  BadRequestError,
  ForbiddenError,
  InvalidCallError,
  InvalidError,
  NotFoundError,
  TooLargeError,
  TransportClosedError,
} from "@keelson/client";
import type { EventDropReason } from "./event-observer.ts";

/** How often it is tried to write an Event [EVR1]. */
const mostTries = 12;

/**
 * What is done after a write failed for the so-many-th time: another try, or the event is dropped, and why.
 *
 * A refusal is retried only where a server that has just come back gives it: it answers 403 until it has read its RBAC
 * rules. A replica that does not lead, with a write guard in front, may lead soon.
 */
export function afterFailure(error: unknown, tries: number): "retry" | EventDropReason {
  if (isNamespaceGone(error)) return "namespace_gone";
  if (isFinal(error)) return "rejected";
  if (error instanceof ForbiddenError && tries === 1) return "forbidden";
  if (tries < mostTries) return "retry";
  return error instanceof ForbiddenError ? "forbidden" : "retries_exhausted";
}

/** A namespace that is being deleted takes no new objects; one that is gone is not found. */
function isNamespaceGone(error: unknown): boolean {
  if (error instanceof NotFoundError) return true;
  if (!(error instanceof ForbiddenError)) return false;
  return error.status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") ?? false;
}

/** The same request will be refused again. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof InvalidError ||
    error instanceof BadRequestError ||
    error instanceof TooLargeError ||
    error instanceof InvalidCallError ||
    error instanceof TransportClosedError ||
    error instanceof TypeError
  );
}

const firstDelayMs = 500;
const longestDelayMs = 20_000;

/** How long to wait before the next try: 0.5 s, doubled up to 20 s, or what the server asks for, and up to a quarter more. */
export function delayAfter(error: unknown, tries: number, fraction: number): number {
  const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
  const delayMs = Math.min(firstDelayMs * 2 ** (tries - 1), longestDelayMs);
  return Math.max(delayMs, askedMs) * (1 + fraction / 4);
}
