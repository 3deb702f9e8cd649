import { type Clock, formatTime, isRecord, type Random, randomUuid } from "@keelson/core";
import type { StoredObjects } from "../resource/stored-objects.ts";
import { boundTokenUser, type TokenOutcome } from "./bound-token.ts";
import {
  isSignedWith,
  type PublicJwk,
  signToken,
  type TokenClaims,
  type TokenKey,
  unverifiedClaims,
} from "./json-web-token.ts";
import { type LegacyToken, legacyClaims, legacyIssuer, legacyTokenUser } from "./legacy-token.ts";
import { quotedList } from "./policy-rule.ts";
import type { UserInfo } from "./user.ts";
import { serviceAccountUsername } from "./user.ts";

/** A request for a token of a ServiceAccount; all objects in it exist. */
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

interface IssuedToken {
  readonly token: string;
  /** RFC 3339 */
  readonly expirationTimestamp: string;
  readonly audiences: readonly string[];
}

export type IssueToken = (request: TokenIssueRequest) => IssuedToken;

/** The issuer of the tokens, and their default audience. */
export const defaultIssuer = "https://kubernetes.default.svc.cluster.local";

interface ServiceAccountTokensOptions {
  /** Called when the first token is signed or verified. */
  readonly key: () => TokenKey;
  readonly read: StoredObjects;
  readonly clock: Clock;
  /** For the ids of tokens. */
  readonly random: Random;
  /** Default: `https://kubernetes.default.svc.cluster.local`. */
  readonly issuer?: string;
}

/** What other programs need to verify tokens. */
export interface TokenIssuer {
  /** The issuer of the tokens, and their default audience. */
  readonly issuer: string;
  publicKey(): PublicJwk;
}

export interface ServiceAccountTokens extends TokenIssuer {
  readonly issue: IssueToken;
  /** A token without expiration, for a Secret. */
  issueLegacy(token: LegacyToken): string;
  /** The user of a token, if the token is for one of the audiences (none: that of the server). */
  verify(token: string, audiences: readonly string[]): VerifiedToken;
}

/** `problem` is undefined if this server did not issue the token. */
type VerifiedToken =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly problem: string | undefined };

/** The expiration that kubelets request; such tokens live for a year, for programs that never read them again. */
const kubeletExpirationSeconds = 3607;
const mostVerified = 1_000;
const yearSeconds = 365 * 24 * 60 * 60;

export function createServiceAccountTokens(options: ServiceAccountTokensOptions): ServiceAccountTokens {
  const { key, read, clock, issuer = defaultIssuer } = options;
  /** Tokens whose signature is valid: to verify it again with each request would cost more than the request. */
  const verified = new Set<string>();

  function isGenuine(token: string): boolean {
    if (verified.has(token)) return true;
    if (!isSignedWith(key(), token)) return false;
    if (verified.size >= mostVerified) verified.clear();
    verified.add(token);
    return true;
  }

  return {
    issuer,
    publicKey: () => key().jwk,
    issue(request) {
      return issueBound(options, issuer, request);
    },
    issueLegacy: (token) => signToken(key(), legacyClaims(token)),
    verify(token, requested) {
      const claims = unverifiedClaims(token);
      if (claims === undefined || (claims.iss !== issuer && claims.iss !== legacyIssuer)) {
        return { problem: undefined };
      }
      if (!isGenuine(token)) return { problem: "go-jose/go-jose: error in cryptographic primitive" };
      const targets = requested.length === 0 ? [issuer] : requested;
      const isLegacy = claims.iss === legacyIssuer;
      const own = isLegacy ? [issuer] : audiencesOf(claims);
      const audiences = targets.filter((one) => own.includes(one));
      if (audiences.length === 0) {
        const [given, target] = [own, targets].map(quotedList);
        return { problem: `token audiences ${given} is invalid for the target audiences ${target}` };
      }
      const outcome: TokenOutcome = isLegacy
        ? legacyTokenUser(token, claims, read)
        : boundTokenUser(claims, read, clock.now());
      return "user" in outcome ? { user: outcome.user, audiences } : outcome;
    },
  };
}

function issueBound(
  { key, clock, random, read }: ServiceAccountTokensOptions,
  issuer: string,
  request: TokenIssueRequest,
): IssuedToken {
  const { namespace, serviceAccount, expirationSeconds, boundObject } = request;
  const audiences = request.audiences.length === 0 ? [issuer] : request.audiences;
  const now = Math.floor(clock.now() / 1000);
  const expires = now + expirationSeconds;
  const isExtended =
    expirationSeconds === kubeletExpirationSeconds &&
    boundObject?.kind === "Pod" &&
    audiences.every((audience) => audience === issuer);
  const claims: TokenClaims = {
    aud: audiences,
    exp: isExtended ? now + yearSeconds : expires,
    iat: now,
    iss: issuer,
    jti: randomUuid(random),
    "kubernetes.io": {
      namespace,
      ...boundClaims(read, request),
      serviceaccount: { name: serviceAccount.name, uid: serviceAccount.uid },
      ...(isExtended && { warnafter: expires }),
    },
    nbf: now,
    sub: serviceAccountUsername({ namespace, name: serviceAccount.name }),
  };
  return { token: signToken(key(), claims), expirationTimestamp: formatTime(expires * 1000), audiences };
}

/** The object to which the token is bound, and the node of a bound pod. */
function boundClaims(
  read: StoredObjects,
  { namespace, boundObject }: TokenIssueRequest,
): Readonly<Record<string, unknown>> {
  if (boundObject === undefined) return {};
  const { kind, name, uid } = boundObject;
  const bound = { [kind.toLowerCase()]: { name, uid } };
  if (kind !== "Pod") return bound;
  const spec = read.get({ group: "", plural: "pods" }, name, namespace)?.spec;
  const nodeName = isRecord(spec) && typeof spec.nodeName === "string" ? spec.nodeName : "";
  if (nodeName === "") return bound;
  const nodeUid = read.get({ group: "", plural: "nodes" }, nodeName)?.metadata.uid;
  return { node: { name: nodeName, ...(nodeUid !== undefined && { uid: nodeUid }) }, ...bound };
}

function audiencesOf({ aud }: TokenClaims): readonly string[] {
  const list = Array.isArray(aud) ? aud : [aud];
  return list.filter((one): one is string => typeof one === "string");
}
