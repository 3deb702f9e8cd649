import { isRecord } from "@keelson/core";
import type { StoredObjects } from "../resource/stored-objects.ts";
import type { TokenOutcome } from "./bound-token.ts";
import type { TokenClaims } from "./json-web-token.ts";
import { type ServiceAccountName, serviceAccountGroups, serviceAccountUsername } from "./user.ts";

/** The issuer of the tokens in Secrets. */
export const legacyIssuer = "kubernetes/serviceaccount";

const prefix = "kubernetes.io/serviceaccount";

/** A token in a Secret of type `kubernetes.io/service-account-token`, valid while the Secret and the ServiceAccount exist. */
export interface LegacyToken {
  readonly namespace: string;
  readonly serviceAccount: { readonly name: string; readonly uid: string };
  readonly secretName: string;
}

export function legacyClaims({ namespace, serviceAccount, secretName }: LegacyToken): TokenClaims {
  return {
    iss: legacyIssuer,
    [`${prefix}/namespace`]: namespace,
    [`${prefix}/secret.name`]: secretName,
    [`${prefix}/service-account.name`]: serviceAccount.name,
    [`${prefix}/service-account.uid`]: serviceAccount.uid,
    sub: serviceAccountUsername({ namespace, name: serviceAccount.name }),
  };
}

export function legacyTokenUser(token: string, claims: TokenClaims, read: StoredObjects): TokenOutcome {
  const namespace = claimOf(claims, "namespace");
  const secretName = claimOf(claims, "secret.name");
  const name = claimOf(claims, "service-account.name");
  const uid = claimOf(claims, "service-account.uid");
  const account: ServiceAccountName = { namespace, name };
  if (claims.sub !== serviceAccountUsername(account)) return { problem: "sub claim is invalid" };
  const secret = read.get({ group: "", plural: "secrets" }, secretName, namespace);
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) {
    return { problem: "Token has been invalidated" };
  }
  const kept = isRecord(secret.data) ? secret.data.token : undefined;
  if (typeof kept !== "string" || Buffer.from(kept, "base64").toString() !== token) {
    return { problem: "Token does not match server's copy" };
  }
  const stored = read.get({ group: "", plural: "serviceaccounts" }, name, namespace);
  if (stored === undefined) return { problem: `serviceaccounts ${JSON.stringify(name)} not found` };
  if (stored.metadata.deletionTimestamp !== undefined) {
    return { problem: `ServiceAccount ${namespace}/${name} has been deleted` };
  }
  const present = stored.metadata.uid;
  if (present !== uid) return { problem: `ServiceAccount UID (${present}) does not match claim (${uid})` };
  const groups = serviceAccountGroups(namespace);
  return { user: { username: serviceAccountUsername(account), uid, groups } };
}

function claimOf(claims: TokenClaims, name: string): string {
  const value = claims[`${prefix}/${name}`];
  return typeof value === "string" ? value : "";
}
