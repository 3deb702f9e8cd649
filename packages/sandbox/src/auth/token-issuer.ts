import type { UserInfo } from "./user.ts";

/** A token that somebody wants for a ServiceAccount; everything in it was checked to exist. */
export interface TokenIssueRequest {
  readonly namespace: string;
  readonly serviceAccount: { readonly name: string; readonly uid: string };
  /** Empty: the API server's own. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** The token ends with this object. */
  readonly boundObject?: {
    readonly kind: string;
    readonly apiVersion: string;
    readonly name: string;
    readonly uid: string;
  };
}

export interface IssuedToken {
  readonly token: string;
  /** RFC 3339 */
  readonly expirationTimestamp: string;
  readonly audiences: readonly string[];
}

export type IssueToken = (request: TokenIssueRequest) => IssuedToken;

/** Who a token stands for, and for which of the audiences; undefined if for none. Empty: the API server's own. */
export type AuthenticateToken = (
  token: string,
  audiences: readonly string[],
) => { readonly user: UserInfo; readonly audiences: readonly string[] } | undefined;

/** Why a token that is not good is none, as TokenReview tells it. */
export type TokenProblem = (token: string, audiences: readonly string[]) => string;
