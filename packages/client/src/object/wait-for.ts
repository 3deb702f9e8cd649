import {
  type Clock,
  formatKey,
  groupResourceOf,
  type KubeObject,
  type ObjectKey,
  type Resource,
  type Stored,
  sleep,
  systemClock,
} from "@keelson/core";
import type { Client } from "../client.ts";
import { ApiError, ConnectionError, RequestTimeoutError, WaitTimeoutError } from "../errors.ts";
import { startDeadline } from "../request/cancellation.ts";

export interface WaitOptions {
  /** Default: for ever. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

const retryMs = 500;
/** The server ends each watch after this long, so that a connection that died in silence is noticed. */
const watchSeconds = 300;

/**
 * Waits until the object exists and fulfils the condition, and returns it. Watches, so that it returns as soon as
 * the server knows; lost connections and restarts of the server only make it look again.
 */
export async function waitFor<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  key: ObjectKey,
  condition: (object: Stored<T>) => boolean,
  options: WaitOptions = {},
): Promise<Stored<T>> {
  const look = (object: Stored<T> | undefined) =>
    object !== undefined && condition(object) ? { found: object } : undefined;
  return (await waitUntil(client, resource, key, look, options)).found;
}

/** Waits until the object does not exist, in the same way. */
export async function waitUntilDeleted<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  key: ObjectKey,
  options: WaitOptions = {},
): Promise<void> {
  const look = (object: Stored<T> | undefined) => (object === undefined ? { found: undefined } : undefined);
  await waitUntil(client, resource, key, look, options);
}

/** Checks an object, or its absence; returns a result once the wait is over. */
type Look<T extends KubeObject, Found> = (
  object: Stored<T> | undefined,
) => { readonly found: Found } | undefined;

async function waitUntil<T extends KubeObject, Found>(
  client: Client,
  resource: Resource<T>,
  key: ObjectKey,
  look: Look<T, Found>,
  options: WaitOptions,
): Promise<{ readonly found: Found }> {
  const { clock = systemClock, timeoutMs } = options;
  using deadline = startDeadline(clock, timeoutMs, options.signal);
  let lastFailure: unknown;
  try {
    for (;;) {
      const outcome = await watchOnce(client, resource, key, look, deadline.signal);
      if ("found" in outcome) return outcome;
      lastFailure = outcome.failure;
      await sleep(clock, retryMs, deadline.signal);
    }
  } catch (error) {
    if (!deadline.isOver) throw error;
    const operation = `wait for ${groupResourceOf(resource)} ${formatKey(key)}`;
    // biome-ignore lint/style/useErrorCause: the last failure says more than that time is up
    throw new WaitTimeoutError(operation, { timeoutMs: timeoutMs ?? 0, cause: lastFailure ?? error });
  }
}

/** Checks the object and then each of its changes, until the wait is over or the watch ends. */
async function watchOnce<T extends KubeObject, Found>(
  client: Client,
  resource: Resource<T>,
  { name, namespace }: ObjectKey,
  look: Look<T, Found>,
  signal: AbortSignal,
): Promise<{ readonly found: Found } | { readonly failure: unknown }> {
  const selection = {
    fieldSelector: `metadata.name=${name}`,
    ...(namespace !== undefined && { namespace }),
    signal,
  };
  try {
    const { items, metadata } = await client.list(resource, selection);
    const outcome = look(items[0]);
    if (outcome !== undefined) return outcome;
    const { resourceVersion = "" } = metadata;
    const watch = client.watch(resource, { ...selection, resourceVersion, timeoutSeconds: watchSeconds });
    for await (const event of watch) {
      if (event.type === "ERROR") return { failure: event.status };
      if (event.type === "BOOKMARK") continue;
      const later = look(event.type === "DELETED" ? undefined : event.object);
      if (later !== undefined) return later;
    }
    return { failure: undefined };
  } catch (error) {
    if (!signal.aborted && isPassing(error)) return { failure: error };
    throw error;
  }
}

/** Whether a retry may help: a server that restarts or is overloaded recovers, one that refuses will refuse again. */
function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof RequestTimeoutError) return true;
  const code = error instanceof ApiError ? error.status.code : undefined;
  return code !== undefined && (code === 410 || code === 429 || code >= 500);
}
