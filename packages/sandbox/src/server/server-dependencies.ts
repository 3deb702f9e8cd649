import type { Clock, Random } from "@keelson/core";
import type { RulesOfUser } from "../auth/access.ts";
import type { AuthenticateToken, TokenProblem } from "../auth/authenticator.ts";
import type { IssueToken } from "../auth/service-account-tokens.ts";
import type { ResourceRegistry } from "../resource/resource-registry.ts";
import type { Store } from "../store/store.ts";
import type { EventLines } from "./read/event-lines.ts";
import type { WriteHandlerDependencies } from "./write/write-handlers.ts";

/** What answering requests needs, beside the request. */
export interface ServerDependencies extends WriteHandlerDependencies {
  readonly reads: ReadDependencies;
  readonly clock: Clock;
  readonly issueToken: IssueToken;
  readonly authenticateToken: AuthenticateToken;
  readonly tokenProblem: TokenProblem;
  readonly rulesOf: RulesOfUser;
}

export interface ReadDependencies {
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly lines: EventLines;
  /** Which revision reads that allow old data show instead of the present. Default: the present. */
  readonly staleRevision?: () => number | undefined;
  /** How many events wait for a slow watcher before its watch is ended. Default: 20,000. */
  readonly watchBufferLimit?: number;
}

/** The state that a read sees which may be as old as `oldest`: the present one, unless the server is told to lag. */
export function readableRevision({ store, staleRevision }: ReadDependencies, oldest: number): number {
  const stale = staleRevision?.();
  if (stale === undefined || stale < oldest || stale < store.compactedRevision) return store.revision;
  return Math.min(stale, store.revision);
}
