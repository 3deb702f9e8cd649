import type { Client } from "@keelson/client";
import { cachedClient } from "../cache/cached-client.ts";
import type { InformerCache } from "../cache/informer-cache.ts";
import type { Leadership } from "../leader/lease-term.ts";
import { guardWrites } from "../leader/write-guard.ts";

/** A client that reads from the server, and one that reads from the cache; both write to the server. */
interface ClientPair {
  readonly live: Client;
  readonly cached: Client;
}

/** The clients of a manager, by who may use them. */
export interface ManagerClients {
  /** For what only a leader does: a write is refused if another replica may lead [LE12]. */
  readonly leader: ClientPair;
  /** For what every replica does. */
  readonly everyReplica: ClientPair;
}

export function managerClients(
  live: Client,
  cache: InformerCache,
  leadership: Leadership | undefined,
): ManagerClients {
  const pairOf = (client: Client): ClientPair => ({ live: client, cached: cachedClient(client, cache) });
  const everyReplica = pairOf(live);
  const leader = leadership === undefined ? everyReplica : pairOf(guardWrites(live, leadership));
  return { leader, everyReplica };
}
