import type { Clock, Random } from "@keelson/core";
import type { RulesOfUser } from "../auth/access.ts";
import type { AuthenticateToken, TokenProblem } from "../auth/authenticator.ts";
import type { IssueToken } from "../auth/service-account-tokens.ts";
import type { ResourceRegistry } from "../resource/resource-registry.ts";
import type { Store } from "../store/store.ts";
import type { EventLines } from "./read/event-lines.ts";
import type { WriteHandlerDependencies } from "./write/write-handlers.ts";

/** What the handlers of requests work with. */
export interface ServerDependencies extends WriteHandlerDependencies {
  readonly reads: ReadDependencies;
  readonly clock: Clock;
  readonly issueToken: IssueToken;
  /** Whether controllers and scheduler run. */
  readonly hasControllers: boolean;
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
  /** The revision that reads which allow old data return. Default: the current one. */
  readonly staleRevision?: () => number | undefined;
  /** How many events are buffered for a slow watcher before its watch ends. Default: 20,000. */
  readonly watchBufferLimit?: number;
}

/** The revision of a read that allows data as old as `oldest`: the current one, unless a fault makes reads stale. */
export function readableRevision({ store, staleRevision }: ReadDependencies, oldest: number): number {
  const stale = staleRevision?.();
  if (stale === undefined || stale < oldest || stale < store.compactedRevision) return store.revision;
  return Math.min(stale, store.revision);
}
