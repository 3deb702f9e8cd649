import { createHash } from "node:crypto";
import type { Client } from "@keelson/client";
import { type Clock, type ServiceRequest, systemClock, toError } from "@keelson/core";
import { TokenReview, type UserInfo } from "@keelson/core/kinds/authentication/v1";
import { SubjectAccessReview } from "@keelson/core/kinds/authorization/v1";
import type { Logger } from "../../logger.ts";
import { RecentMap } from "../../recent-map.ts";
import { steadyLogger } from "../../steady-logger.ts";
import { type Authorize, metricsPath, type Permission } from "./metrics-service.ts";

/** What has to be allowed, and how long a decision is cached. */
export interface AuthorizeByReviewOptions {
  /** The non-resource URL that has to be allowed. Default `/metrics`. */
  readonly url?: string;
  /** How long an allowed decision is cached. Default 1 min. */
  readonly allowedForMs?: number;
  /** How long a denied decision is cached. Default 10 s. */
  readonly refusedForMs?: number;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: nothing is logged. */
  readonly log?: Logger;
}

interface Decision {
  readonly permission: Permission;
  readonly untilMs: number;
}

/** The size of the cache, so that a client that sends ever new tokens does not fill the memory. */
const maxDecisions = 1024;
const allowed: Permission = { isAllowed: true };
const unauthorized: Permission = { isAllowed: false, status: 401, message: "Unauthorized" };

/**
 * Allows users who may `get` a non-resource URL, such as `/metrics`. As the filter of controller-runtime does, it sends the
 * bearer token to the API server in a TokenReview, and its user in a SubjectAccessReview. Decisions are cached for a short
 * time; if a review fails, access is refused. The client must be allowed to create TokenReviews and SubjectAccessReviews.
 */
export function authorizeByReview(
  client: Pick<Client, "create">,
  options: AuthorizeByReviewOptions = {},
): Authorize {
  const { url = metricsPath, allowedForMs = 60_000, refusedForMs = 10_000 } = options;
  const { clock = systemClock } = options;
  const log = steadyLogger(options.log);
  const decisions = new RecentMap<string, Decision>(maxDecisions);
  /** Concurrent requests with the same token and verb share one review. */
  const reviews = new Map<string, Promise<Permission>>();
  const remember = (id: string, permission: Permission): void => {
    const untilMs = clock.monotonicNow() + (permission.isAllowed ? allowedForMs : refusedForMs);
    decisions.set(id, { permission, untilMs });
  };
  const decide = async (id: string, token: string, verb: string): Promise<Permission> => {
    try {
      const permission = await review(client, token, { path: url, verb });
      remember(id, permission);
      return permission;
    } catch (error) {
      log.error("the user of a request could not be reviewed", { url, error: toError(error) });
      return { isAllowed: false, status: 500, message: "Authentication failed" };
    } finally {
      reviews.delete(id);
    }
  };
  return async (request) => {
    const token = tokenIn(request);
    if (token === undefined) return unauthorized;
    const verb = request.method.toLowerCase();
    // The token itself is not stored (law 9).
    const id = `${verb} ${createHash("sha256").update(token).digest("base64")}`;
    const known = decisions.get(id);
    if (known !== undefined && clock.monotonicNow() < known.untilMs) return known.permission;
    const pending = reviews.get(id) ?? decide(id, token, verb);
    reviews.set(id, pending);
    return pending;
  };
}

/** The requested access. */
interface Access {
  readonly path: string;
  readonly verb: string;
}

async function review(client: Pick<Client, "create">, token: string, access: Access): Promise<Permission> {
  const { status } = await client.create(TokenReview, { metadata: {}, spec: { token } });
  if (status?.authenticated !== true || status.user === undefined) return unauthorized;
  return (await isPermitted(client, status.user, access))
    ? allowed
    : {
        isAllowed: false,
        status: 403,
        message: `Authorization denied for user ${status.user.username ?? ""}`,
      };
}

async function isPermitted(
  client: Pick<Client, "create">,
  { username, uid, groups, extra }: UserInfo,
  access: Access,
): Promise<boolean> {
  const { status } = await client.create(SubjectAccessReview, {
    metadata: {},
    spec: {
      ...(username !== undefined && { user: username }),
      ...(uid !== undefined && { uid }),
      ...(groups !== undefined && { groups }),
      ...(extra !== undefined && { extra }),
      nonResourceAttributes: access,
    },
  });
  return status?.allowed === true;
}

function tokenIn({ headers }: ServiceRequest): string | undefined {
  return /^bearer +([^\s]+) *$/i.exec(headers.authorization ?? "")?.[1];
}
