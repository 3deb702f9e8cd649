import type { ServiceRequest } from "@keelson/core";
import type { Authenticate } from "./access.ts";
import type { ServiceAccountTokens } from "./service-account-tokens.ts";
import type { UserInfo } from "./user.ts";

/** The user of a token, and those of the audiences it is for; undefined if none. No audiences: that of the API server. */
export type AuthenticateToken = (
  token: string,
  audiences: readonly string[],
) => { readonly user: UserInfo; readonly audiences: readonly string[] } | undefined;

/** Why a token is invalid, in the message of TokenReview. */
export type TokenProblem = (token: string, audiences: readonly string[]) => string;

interface AuthenticatorOptions {
  /** Users by token, beside ServiceAccounts. Default: none. */
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
 * Authenticates by client certificate, by a table of tokens and by tokens of ServiceAccounts. A request without
 * credentials is anonymous; one with an invalid token is refused, unless it has a client certificate, and one with an
 * unverified client certificate, unless it has a token.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { tokens, serviceAccountTokens } = options;

  const authenticateToken: AuthenticateToken = (token, audiences) => {
    const listed = tokens?.get(token);
    if (listed !== undefined) {
      // Tokens of the table have no audiences: they are for this server.
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
    if (token !== undefined) return authenticateToken(token, [])?.user;
    return request.hasUnverifiedCertificate === true ? undefined : anonymousUser;
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

/** The common name is the user name, the organizations are the groups. Undefined without a common name. */
function certificateUser({ clientCertificate }: ServiceRequest): UserInfo | undefined {
  if (clientCertificate === undefined || clientCertificate.commonName === "") return undefined;
  const { commonName, organizations, fingerprint } = clientCertificate;
  return {
    username: commonName,
    groups: organizations,
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
  };
}

/** Undefined if there is none; other schemes, such as passwords, are not supported and are ignored. */
function bearerToken(authorization: string | undefined): string | undefined {
  const [scheme = "", token = ""] = (authorization ?? "").trim().split(/ +/, 2);
  return scheme.toLowerCase() === "bearer" && token !== "" ? token : undefined;
}

function withAuthenticated(user: UserInfo): UserInfo {
  if (user.groups.includes(authenticatedGroup)) return user;
  return { ...user, groups: [...user.groups, authenticatedGroup] };
}
