import { createHash } from "node:crypto";
import type { Client } from "@keelson/client";
import { type Clock, type ServiceRequest, systemClock, toError } from "@keelson/core";
import { TokenReview, type UserInfo } from "@keelson/core/kinds/authentication/v1";
import { SubjectAccessReview } from "@keelson/core/kinds/authorization/v1";
import { type Logger, silentLogger } from "../../logger.ts";
import { type Authorize, metricsPath, type Permission } from "./metrics-service.ts";

export interface AuthorizeByReviewOptions {
  /** The non-resource URL that has to be allowed. Default `/metrics`. */
  readonly url?: string;
  /** For how long who is allowed stays so. Default 1 min. */
  readonly allowedForMs?: number;
  /** For how long who is refused stays so. Default 10 s. */
  readonly refusedForMs?: number;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: says nothing. */
  readonly log?: Logger;
}

interface Verdict {
  readonly permission: Permission;
  readonly untilMs: number;
}

/** So many verdicts are remembered; whoever sends ever new tokens costs no more memory than that. */
const mostVerdicts = 1024;
const allowed: Permission = { isAllowed: true };
const unauthorized: Permission = { isAllowed: false, status: 401, message: "Unauthorized" };

/**
 * Lets in who may `get` a non-resource URL, such as `/metrics`: asks the API server whose the bearer token is and what its
 * owner may, as controller-runtime's filter does. What the server says is remembered for a short time; if it cannot be
 * asked, nobody is let in. The client's own user must be allowed to create TokenReviews and SubjectAccessReviews.
 */
export function authorizeByReview(
  client: Pick<Client, "create">,
  options: AuthorizeByReviewOptions = {},
): Authorize {
  const { url = metricsPath, allowedForMs = 60_000, refusedForMs = 10_000 } = options;
  const { clock = systemClock, log = silentLogger } = options;
  const verdicts = new Map<string, Verdict>();
  /** Those who ask for the same at once are answered by one review. */
  const reviews = new Map<string, Promise<Permission>>();
  const remember = (id: string, permission: Permission): void => {
    verdicts.delete(id);
    const [oldest] = verdicts.size >= mostVerdicts ? verdicts.keys() : [];
    if (oldest !== undefined) verdicts.delete(oldest);
    const untilMs = clock.monotonicNow() + (permission.isAllowed ? allowedForMs : refusedForMs);
    verdicts.set(id, { permission, untilMs });
  };
  const ask = async (id: string, token: string, verb: string): Promise<Permission> => {
    try {
      const permission = await review(client, token, { path: url, verb });
      remember(id, permission);
      return permission;
    } catch (error) {
      log.error("who asks could not be found out", { url, error: toError(error) });
      return { isAllowed: false, status: 500, message: "Authentication failed" };
    } finally {
      reviews.delete(id);
    }
  };
  return async (request) => {
    const token = tokenIn(request);
    if (token === undefined) return unauthorized;
    const verb = request.method.toLowerCase();
    // No token is kept (law 9).
    const id = `${verb} ${createHash("sha256").update(token).digest("base64")}`;
    const known = verdicts.get(id);
    if (known !== undefined && clock.monotonicNow() < known.untilMs) return known.permission;
    const underWay = reviews.get(id) ?? ask(id, token, verb);
    reviews.set(id, underWay);
    return underWay;
  };
}

/** What is asked for. */
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
  { username = "", uid, groups, extra }: UserInfo,
  access: Access,
): Promise<boolean> {
  const { status } = await client.create(SubjectAccessReview, {
    metadata: {},
    spec: {
      user: username,
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
