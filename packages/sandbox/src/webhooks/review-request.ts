import type { GenericObject } from "@keelson/core";
import type { AdmissionRequest } from "../admission/admission.ts";
import type { UserInfo } from "../auth/user.ts";
import type { ServedResource } from "../resource/served-resource.ts";

/** A write as a webhook and its match conditions see it, possibly in another version than that of the request. */
export interface SeenWrite {
  readonly request: AdmissionRequest;
  /** The version that matches a rule of the webhook. */
  readonly resource: ServedResource;
  readonly object: GenericObject | undefined;
  readonly oldObject: GenericObject | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** The `request` of an AdmissionReview, without its uid and its objects. */
export function requestJson({ request, resource }: SeenWrite): Json {
  const { subresource, name, namespace, operation, user, dryRun, options } = request;
  return {
    kind: kindJson(resource, subresource),
    resource: resourceJson(resource),
    ...(subresource !== undefined && { subResource: subresource }),
    requestKind: kindJson(request.resource, subresource),
    requestResource: resourceJson(request.resource),
    ...(subresource !== undefined && { requestSubResource: subresource }),
    ...(name !== "" && { name }),
    ...(namespace !== undefined && { namespace }),
    operation,
    userInfo: userJson(user),
    dryRun,
    options,
  };
}

export function reviewJson(seen: SeenWrite, uid: string, version: string): Json {
  const { dryRun, options, ...request } = requestJson(seen);
  const { object = null, oldObject = null } = seen;
  return {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: { uid, ...request, object, oldObject, dryRun, options },
  };
}

/** Some subresources have a kind of their own: Scale, Eviction, Binding. */
function kindJson(resource: ServedResource, subresource: string | undefined): Json {
  const part = subresource === undefined ? undefined : resource.subresources.get(subresource);
  const { group = resource.group, version = resource.version, kind } = part ?? resource;
  return { group, version, kind };
}

function resourceJson({ group, version, plural }: ServedResource): Json {
  return { group, version, resource: plural };
}

function userJson({ username, uid, groups, extra }: UserInfo): Json {
  return {
    username,
    ...(uid !== undefined && uid !== "" && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(extra !== undefined && Object.keys(extra).length > 0 && { extra }),
  };
}
