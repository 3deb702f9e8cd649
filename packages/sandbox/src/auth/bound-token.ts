import { isRecord } from "@keelson/core";
import type { StoredKind, StoredObjects } from "../resource/stored-objects.ts";
import type { TokenClaims } from "./json-web-token.ts";
import type { UserInfo } from "./user.ts";
import { serviceAccountGroups, serviceAccountUsername } from "./user.ts";

/** The user of a token, or why it is invalid, in the message of the real server. */
export type TokenOutcome = { readonly user: UserInfo } | { readonly problem: string };

/** Seconds by which the clock of the issuer may differ. */
const clockLeewaySeconds = 60;
/** How long a token is valid after the deletion of its object, in milliseconds. */
const deletionGraceMs = 60_000;
const extraPrefix = "authentication.kubernetes.io";
const invalidated = { problem: "service account token has been invalidated" } as const;

interface Reference {
  readonly name: string;
  readonly uid: string;
}

/** The user of a token from a TokenRequest, if it has not expired and its bound objects exist. */
export function boundTokenUser(claims: TokenClaims, read: StoredObjects, now: number): TokenOutcome {
  const problem = timeProblem(claims, now);
  if (problem !== undefined) return { problem };
  const bound = isRecord(claims["kubernetes.io"]) ? claims["kubernetes.io"] : {};
  const namespace = textOf(bound.namespace);
  const account = referenceOf(bound.serviceaccount) ?? { name: "", uid: "" };
  const accountProblem = serviceAccountProblem(read, namespace, account, now);
  if (accountProblem !== undefined) return { problem: accountProblem };
  const secret = referenceOf(bound.secret);
  const pod = referenceOf(bound.pod);
  const node = referenceOf(bound.node);
  const checks: readonly Check[] = [
    { word: "secret", plural: "secrets", reference: secret, namespace },
    { word: "pod", plural: "pods", reference: pod, namespace },
    // The node of a bound pod is not checked: the pod is deleted with it.
    { word: "node", plural: "nodes", reference: pod === undefined ? node : undefined },
  ];
  for (const check of checks) {
    const outcome = referenceProblem(read, check, now);
    if (outcome !== undefined) return outcome;
  }
  const extra = {
    ...(typeof claims.jti === "string" && { [`${extraPrefix}/credential-id`]: [`JTI=${claims.jti}`] }),
    ...extraOf("node", node),
    ...extraOf("pod", pod),
  };
  return {
    user: {
      username: serviceAccountUsername({ namespace, name: account.name }),
      uid: account.uid,
      groups: serviceAccountGroups(namespace),
      ...(Object.keys(extra).length > 0 && { extra }),
    },
  };
}

function timeProblem({ exp, nbf, iat }: TokenClaims, now: number): string | undefined {
  const seconds = now / 1000;
  if (typeof nbf === "number" && seconds + clockLeewaySeconds < nbf) {
    return "service account token is not valid yet";
  }
  if (typeof exp === "number" && seconds - clockLeewaySeconds > exp)
    return "service account token has expired";
  if (typeof iat === "number" && seconds + clockLeewaySeconds < iat) {
    return "service account token is issued in the future";
  }
  return undefined;
}

function serviceAccountProblem(
  read: StoredObjects,
  namespace: string,
  { name, uid }: Reference,
  now: number,
): string | undefined {
  const account = read.get({ group: "", plural: "serviceaccounts" }, name, namespace);
  if (account === undefined) return `serviceaccounts ${JSON.stringify(name)} not found`;
  const { uid: present, deletionTimestamp } = account.metadata;
  if (present !== uid) return `service account UID (${present}) does not match claim (${uid})`;
  if (isLongDeleted(deletionTimestamp, now)) return `service account ${namespace}/${name} has been deleted`;
  return undefined;
}

interface Check {
  readonly word: string;
  readonly plural: string;
  readonly reference: Reference | undefined;
  readonly namespace?: string;
}

function referenceProblem(
  read: StoredObjects,
  { word, plural, reference, namespace }: Check,
  now: number,
): { readonly problem: string } | undefined {
  if (reference === undefined) return undefined;
  const kind: StoredKind = { group: "", plural };
  const object = read.get(kind, reference.name, namespace);
  if (object === undefined) return invalidated;
  const { uid, deletionTimestamp } = object.metadata;
  if (uid !== reference.uid) {
    return {
      problem: `${word} UID (${uid}) does not match service account ${word} ref claim (${reference.uid})`,
    };
  }
  return isLongDeleted(deletionTimestamp, now) ? invalidated : undefined;
}

function isLongDeleted(deletionTimestamp: string | undefined, now: number): boolean {
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now - deletionGraceMs;
}

function extraOf(
  word: string,
  reference: Reference | undefined,
): Readonly<Record<string, readonly string[]>> {
  if (reference === undefined) return {};
  return {
    [`${extraPrefix}/${word}-name`]: [reference.name],
    [`${extraPrefix}/${word}-uid`]: [reference.uid],
  };
}

function referenceOf(value: unknown): Reference | undefined {
  return isRecord(value) ? { name: textOf(value.name), uid: textOf(value.uid) } : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
