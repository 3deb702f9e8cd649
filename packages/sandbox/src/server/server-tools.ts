import type { Clock } from "@keelson/core";
import type { Authorize } from "../auth/access.ts";
import type { RulesOfUser } from "../auth/access-rules.ts";
import type { AuthenticateToken, IssueToken } from "../auth/token-issuer.ts";
import type { ReadDependencies } from "./read/read-dependencies.ts";
import type { WriteTools } from "./write-verbs.ts";

/** What answering requests needs, beside the request. */
export interface ServerTools extends WriteTools {
  readonly reads: ReadDependencies;
  readonly clock: Clock;
  readonly authorize: Authorize;
  readonly issueToken: IssueToken;
  readonly authenticateToken: AuthenticateToken;
  readonly rulesOf: RulesOfUser;
}
