import type { AccessRequest, Authorize } from "../../auth/access.ts";
import type { UserInfo } from "../../auth/user.ts";
import type { ApiError } from "../../status/api-error.ts";
import { accessDenied } from "../../status/request-errors.ts";
import type { RequestPath } from "./request-path.ts";

/** The attributes of a request for authorization. */
export function accessOf({ path, verb, target }: RequestPath): AccessRequest {
  if (target === undefined) return { verb, path };
  const { group, version, resource, subresource, namespace, name, selectedFields } = target;
  return {
    verb,
    group,
    version,
    resource,
    ...(subresource !== "" && { subresource }),
    ...(namespace !== "" && { namespace }),
    ...(name !== "" && { name }),
    selectedFields,
  };
}

/** Throws ApiError if the user is not allowed this access. */
export function checkAccess(authorize: Authorize, user: UserInfo, access: AccessRequest): void {
  const { allowed, reason } = authorize(user, access);
  if (!allowed) throw denied(user, access, reason);
}

/** `pods "x" is forbidden: User "bob" cannot get resource "pods/log" in API group "" in the namespace "shop"` */
export function denied({ username }: UserInfo, access: AccessRequest, reason: string): ApiError {
  const because = reason === "" ? "" : `: ${reason}`;
  const subject = `User ${JSON.stringify(username)} cannot ${access.verb}`;
  if ("path" in access) {
    return accessDenied("", `${subject} path ${JSON.stringify(access.path)}${because}`);
  }
  const { group, resource, subresource, namespace, name } = access;
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
  const qualified = group === "" ? resource : `${resource}.${group}`;
  const what = name === undefined ? qualified : `${qualified} ${JSON.stringify(name)}`;
  const why = `${subject} resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)} ${where}${because}`;
  return accessDenied(what, why, { group, plural: resource, name: name ?? "" });
}
