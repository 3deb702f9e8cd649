import {
  type Clock,
  formatKey,
  groupResourceOf,
  type KubeObject,
  type ObjectKey,
  type Resource,
  sleep,
  systemClock,
} from "@keelson/core";
import type { Client } from "../client.ts";
import { ApiError, ConnectionError, RequestTimeoutError, WaitTimeoutError } from "../errors.ts";
import { startDeadline } from "../request/deadline.ts";

export interface WaitOptions {
  /** Default: for ever. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

const retryMs = 500;

/**
 * Waits until the condition holds for the object, or for its absence, and gives what it held for. Watches, so that it
 * returns as soon as the server knows; lost connections and restarts of the server only make it look again.
 */
export async function waitFor<T extends KubeObject, Found extends T | undefined = T | undefined>(
  client: Client,
  resource: Resource<T>,
  key: ObjectKey,
  condition: ((object: T | undefined) => object is Found) | ((object: T | undefined) => boolean),
  options: WaitOptions = {},
): Promise<Found> {
  const { clock = systemClock, timeoutMs } = options;
  using deadline = startDeadline(clock, timeoutMs, options.signal);
  const isMet = (object: T | undefined): object is Found => condition(object);
  try {
    for (;;) {
      const found = await lookOnce(client, resource, key, isMet, deadline.signal);
      if (found !== undefined) return found.object;
      await sleep(clock, retryMs, deadline.signal);
    }
  } catch (error) {
    if (!deadline.isOver) throw error;
    const operation = `wait for ${groupResourceOf(resource)} ${formatKey(key)}`;
    throw new WaitTimeoutError(operation, { timeoutMs: timeoutMs ?? 0, cause: error });
  }
}

/** Looks at the object and then at what happens to it, until the condition holds or the watch ends. */
async function lookOnce<T extends KubeObject, Found extends T | undefined>(
  client: Client,
  resource: Resource<T>,
  { name, namespace }: ObjectKey,
  isMet: (object: T | undefined) => object is Found,
  signal: AbortSignal,
): Promise<{ readonly object: Found } | undefined> {
  const selection = {
    fieldSelector: `metadata.name=${name}`,
    ...(namespace !== undefined && { namespace }),
    signal,
  };
  try {
    const { items, metadata } = await client.list(resource, selection);
    const current = items[0];
    if (isMet(current)) return { object: current };
    const { resourceVersion = "" } = metadata;
    for await (const event of client.watch(resource, { ...selection, resourceVersion })) {
      if (event.type === "ERROR") return undefined;
      if (event.type === "BOOKMARK") continue;
      const object = event.type === "DELETED" ? undefined : event.object;
      if (isMet(object)) return { object };
    }
    return undefined;
  } catch (error) {
    if (!signal.aborted && isPassing(error)) return undefined;
    throw error;
  }
}

/** A server that restarts or is overloaded will be back; one that refuses will refuse again. */
function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof RequestTimeoutError) return true;
  const code = error instanceof ApiError ? error.status.code : undefined;
  return code !== undefined && (code === 410 || code === 429 || code >= 500);
}
