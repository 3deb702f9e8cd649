import type { Clock } from "@keelson/core";
import type { RulesOfUser } from "../auth/access-rules.ts";
import type { AuthenticateToken, IssueToken, TokenProblem } from "../auth/token-issuer.ts";
import type { ReadDependencies } from "./read/read-dependencies.ts";
import type { WriteTools } from "./write-verbs.ts";

/** What answering requests needs, beside the request. */
export interface ServerTools extends WriteTools {
  readonly reads: ReadDependencies;
  readonly clock: Clock;
  readonly issueToken: IssueToken;
  readonly authenticateToken: AuthenticateToken;
  readonly tokenProblem: TokenProblem;
  readonly rulesOf: RulesOfUser;
}
