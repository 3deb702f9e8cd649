import type { ServiceRequest } from "@keelson/core";
import type { Authenticate } from "./access.ts";
import type { ServiceAccountTokens } from "./service-account-tokens.ts";
import type { UserInfo } from "./user.ts";

/** Who a token stands for, and for which of the audiences; undefined if for none. Empty: the API server's own. */
export type AuthenticateToken = (
  token: string,
  audiences: readonly string[],
) => { readonly user: UserInfo; readonly audiences: readonly string[] } | undefined;

/** Why a token that is not good is none, as TokenReview tells it. */
export type TokenProblem = (token: string, audiences: readonly string[]) => string;

interface AuthenticatorOptions {
  /** Users by their tokens, beside ServiceAccounts. Default: none. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  readonly serviceAccountTokens: ServiceAccountTokens;
}

interface Authenticator {
  readonly authenticate: Authenticate;
  readonly authenticateToken: AuthenticateToken;
  readonly tokenProblem: TokenProblem;
}

export const anonymousUser: UserInfo = {
  username: "system:anonymous",
  groups: ["system:unauthenticated"],
};

const invalidToken = "invalid bearer token";
const authenticatedGroup = "system:authenticated";

/**
 * Knows users by client certificates, by tokens of a table and by tokens of ServiceAccounts. Whoever shows nothing is
 * anonymous; whoever shows a token that is not good is refused, unless a certificate speaks for them.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { tokens, serviceAccountTokens } = options;

  const authenticateToken: AuthenticateToken = (token, audiences) => {
    const listed = tokens?.get(token);
    if (listed !== undefined) {
      // Tokens of the table say nothing of audiences: they are meant for this server.
      const { issuer } = serviceAccountTokens;
      const isMeant = audiences.length === 0 || audiences.includes(issuer);
      return isMeant ? { user: withAuthenticated(listed), audiences: [issuer] } : undefined;
    }
    const verified = serviceAccountTokens.verify(token, audiences);
    return "user" in verified ? { ...verified, user: withAuthenticated(verified.user) } : undefined;
  };

  const authenticate: Authenticate = (request) => {
    const certified = certificateUser(request);
    if (certified !== undefined) return withAuthenticated(certified);
    const token = bearerToken(request.headers.authorization);
    return token === undefined ? anonymousUser : authenticateToken(token, [])?.user;
  };

  return {
    authenticate,
    authenticateToken,
    tokenProblem(token, audiences) {
      const verified = serviceAccountTokens.verify(token, audiences);
      const problem = "problem" in verified ? verified.problem : undefined;
      return problem === undefined ? invalidToken : `[${invalidToken}, ${problem}]`;
    },
  };
}

/** The common name is the user's, the organizations are the groups. A certificate without a name names nobody. */
function certificateUser({ clientCertificate }: ServiceRequest): UserInfo | undefined {
  if (clientCertificate === undefined || clientCertificate.commonName === "") return undefined;
  const { commonName, organizations, fingerprint } = clientCertificate;
  return {
    username: commonName,
    groups: organizations,
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
  };
}

/** Undefined if there is none; other ways to authenticate, such as passwords, do not exist and count as none. */
function bearerToken(authorization: string | undefined): string | undefined {
  const [scheme = "", token = ""] = (authorization ?? "").trim().split(/ +/, 2);
  return scheme.toLowerCase() === "bearer" && token !== "" ? token : undefined;
}

function withAuthenticated(user: UserInfo): UserInfo {
  if (user.groups.includes(authenticatedGroup)) return user;
  return { ...user, groups: [...user.groups, authenticatedGroup] };
}
