import type { ServiceRequest } from "@keelson/core";
import type { AccessRequest, Authorize } from "../../auth/access.ts";
import type { UserInfo } from "../../auth/user.ts";
import { badRequest } from "../../status/api-error.ts";
import { denied } from "./access.ts";

type Sent = Pick<ServiceRequest, "headers" | "headerLines">;

const extraPrefix = "impersonate-extra-";

/**
 * The user of a request: the authenticated one, or the one in the impersonation headers. Throws ApiError if the
 * authenticated user may not impersonate that one.
 */
export function effectiveUser(
  authorize: Authorize,
  user: UserInfo,
  sent: Sent,
  access: AccessRequest,
): UserInfo {
  const impersonated = impersonatedUser(sent);
  if (impersonated === undefined) return user;
  const mode = modeOf(impersonated);
  const legacy = checksFor(impersonated, "impersonate", "");
  if (legacy.every((check) => authorize(user, check).allowed)) return withGroups(impersonated);
  const constrained = [
    { ...access, verb: `impersonate-on:${mode}:${access.verb}` },
    ...checksFor(impersonated, `impersonate:${mode}`, "authentication.k8s.io"),
  ];
  for (const check of constrained) {
    const { allowed, reason } = authorize(user, check);
    if (!allowed) throw denied(user, check, reason);
  }
  return withGroups(impersonated);
}

function impersonatedUser(sent: Sent): UserInfo | undefined {
  const { headers } = sent;
  const username = headers["impersonate-user"] ?? "";
  const uid = headers["impersonate-uid"] ?? "";
  const groups = valuesOf(sent, "impersonate-group");
  const extra: Record<string, readonly string[]> = {};
  for (const name of Object.keys(headers)) {
    if (name.startsWith(extraPrefix)) extra[extraKey(name)] = valuesOf(sent, name);
  }
  const hasExtra = Object.keys(extra).length > 0;
  if (username === "" && uid === "" && groups.length === 0 && !hasExtra) return undefined;
  const impersonated = { username, groups, ...(uid !== "" && { uid }), ...(hasExtra && { extra }) };
  if (username === "")
    throw badRequest(`requested ${goUser(impersonated)} without impersonating a user name`);
  return impersonated;
}

/** The values of a header; without the separate lines, repeated headers are joined by commas. */
function valuesOf({ headers, headerLines }: Sent, name: string): readonly string[] {
  const lines = headerLines?.(name) ?? (headers[name] ?? "").split(",").map((one) => one.trim());
  return lines.filter((one) => one !== "");
}

function extraKey(header: string): string {
  const encoded = header.slice(extraPrefix.length).toLowerCase();
  try {
    return decodeURIComponent(encoded);
  } catch {
    // Like the real server: a key that cannot be decoded is used as it is.
    return encoded;
  }
}

function modeOf({ username }: UserInfo): "serviceaccount" | "arbitrary-node" | "user-info" {
  if (serviceAccountOf(username) !== undefined) return "serviceaccount";
  return username.startsWith("system:node:") ? "arbitrary-node" : "user-info";
}

function serviceAccountOf(
  username: string,
): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** Legacy impersonation checks users and groups in the core group, constrained impersonation in the authentication group. */
function checksFor(impersonated: UserInfo, verb: string, group: string): readonly AccessRequest[] {
  const account = serviceAccountOf(impersonated.username);
  const userCheck: AccessRequest =
    account === undefined
      ? { verb, group, version: "v1", resource: "users", name: impersonated.username }
      : { verb, group, version: "v1", resource: "serviceaccounts", ...account };
  const authentication = { verb, group: "authentication.k8s.io", version: "v1" };
  const extras = Object.entries(impersonated.extra ?? {}).flatMap(([key, values]) =>
    values.map((name) => ({ ...authentication, resource: "userextras", subresource: key, name })),
  );
  return [
    userCheck,
    ...impersonated.groups.map((name) => ({ verb, group, version: "v1", resource: "groups", name })),
    ...extras,
    ...(impersonated.uid === undefined
      ? []
      : [{ ...authentication, resource: "uids", name: impersonated.uid }]),
  ];
}

const anonymous = "system:anonymous";
const authenticated = "system:authenticated";
const unauthenticated = "system:unauthenticated";

function withGroups(impersonated: UserInfo): UserInfo {
  const account = serviceAccountOf(impersonated.username);
  const ofAccount = ["system:serviceaccounts", `system:serviceaccounts:${account?.namespace}`];
  const groups =
    impersonated.groups.length === 0 && account !== undefined ? ofAccount : [...impersonated.groups];
  const isKnown = groups.includes(authenticated) || groups.includes(unauthenticated);
  if (impersonated.username === anonymous) {
    if (!groups.includes(unauthenticated)) groups.push(unauthenticated);
  } else if (!isKnown) groups.push(authenticated);
  return { ...impersonated, groups };
}

/** The user as Go prints it. */
function goUser({ uid = "", groups, extra }: UserInfo): string {
  const list = (values: readonly string[]): string =>
    `[]string{${values.map((one) => JSON.stringify(one)).join(", ")}}`;
  const shownGroups = groups.length === 0 ? "[]string(nil)" : list(groups);
  const entries = Object.entries(extra ?? {}).map(
    ([key, values]) => `${JSON.stringify(key)}:${list(values)}`,
  );
  const shownExtra =
    entries.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${entries.join(", ")}}`;
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${shownGroups}, Extra:${shownExtra}}`;
}
