import { type ApiError, ForbiddenError, NotFoundError, UnauthorizedError } from "@keelson/client";
import { apiVersionOf, type Clock, groupResourceOf, type KubeObject, type Resource } from "@keelson/core";
import type { Informer, InformerStatus, Subscription } from "../cache/informer/informer.ts";
import type { Logger } from "../logger.ts";

const reportEveryMs = 10_000;

export interface SyncReportOptions {
  /** The source that waits. */
  readonly source: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Waits until the subscription has synced, and says every 10 s what that is waiting for [EV8]: a kind that does not
 * exist yet, or a permission that is missing, are found by the informer as soon as they are there. Throws the signal's
 * reason when it aborts, and nothing else; how long to wait is for the caller to say.
 */
export async function syncedAloud<T extends KubeObject>(
  subscription: Subscription,
  informer: Informer<T>,
  { source, clock, log, signal }: SyncReportOptions,
): Promise<void> {
  const report = (): void => {
    for (const status of informer.statuses.filter(({ hasSynced }) => !hasSynced)) {
      const message = `sync ${source}: ${obstacleOf(status, informer.resource)}`;
      const { lastError: error } = status;
      if (error === undefined) log.warn(message);
      else log.error(message, { error });
    }
    cancel = clock.schedule(reportEveryMs, report);
  };
  let cancel = clock.schedule(reportEveryMs, report);
  try {
    await subscription.synced(signal);
  } finally {
    cancel();
  }
}

/** What keeps an informer from having synced, and what to do about it. */
function obstacleOf({ name, phase, objects, lastError }: InformerStatus, resource: Resource): string {
  if (lastError instanceof NotFoundError) {
    return (
      `the API server serves no ${resource.plural} of ${apiVersionOf(resource)}; install the CRD of ` +
      `${groupResourceOf(resource)}, in that version`
    );
  }
  if (lastError instanceof ForbiddenError) {
    return (
      `reading ${name} is not allowed; grant the verbs list and watch on ${groupResourceOf(resource)} ` +
      `(${reasonOf(lastError)})`
    );
  }
  if (lastError instanceof UnauthorizedError) {
    return `the API server does not accept the credentials; renew them (${reasonOf(lastError)})`;
  }
  if (lastError !== undefined) return `${lastError.message}; it is tried again`;
  return `${name} is still ${phase}, with ${objects} objects so far; is the API server slow?`;
}

function reasonOf({ status }: ApiError): string {
  return status.message ?? status.reason ?? "no reason was given";
}
