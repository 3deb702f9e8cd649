import { deepEqual, type GenericObject, type OwnerReference } from "@keelson/core";
import type { AccessRequest, Authorize } from "../auth/access.ts";
import type { ResourceRegistry } from "../resource/resource-registry.ts";
import { type AdmissionRequest, refused, type ValidatingAdmission } from "./admission.ts";

/**
 * A user may change the owners of an object that the user may delete, and may let an object block the deletion of an owner
 * whose finalizers the user may update.
 */
export function ownerReferencePermissions(
  authorize: Authorize,
  registry: Pick<ResourceRegistry, "findKind">,
): ValidatingAdmission {
  return {
    name: "OwnerReferencesPermissionEnforcement",
    validate(request, object) {
      const { operation, oldObject, user } = request;
      if (object === undefined || isPodStatus(request)) return;
      const before = operation === "CREATE" ? [] : ownersOf(oldObject);
      const owners = ownersOf(object);
      if (deepEqual(before, owners)) return;
      const isRefused = (access: AccessRequest): boolean => !authorize(user, access).allowed;
      if (operation !== "CREATE" && isRefused(deletionOf(request)))
        throw refused(request, object, "cannot set an ownerRef on a resource you can't delete: , <nil>");
      const blocking = owners.filter((owner) => isNewlyBlocking(owner, before));
      if (blocking.length === 0 || !isRefused(anyFinalizers)) return;
      for (const owner of blocking) {
        const access = finalizersOf(owner, request, registry);
        if ("problem" in access) throw refused(request, object, access.problem);
        if (isRefused(access)) throw refused(request, object, cannotBlock);
      }
    },
  };
}

const cannotBlock =
  "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>";

/** Allowed to those who may update the finalizers of every object. */
const anyFinalizers: AccessRequest = {
  verb: "update",
  group: "*",
  version: "*",
  resource: "*",
  subresource: "finalizers",
  name: "*",
};

/** Its strategy keeps the owner references. */
function isPodStatus({ resource, subresource }: AdmissionRequest): boolean {
  return resource.group === "" && resource.plural === "pods" && subresource === "status";
}

function ownersOf(object: GenericObject | undefined): readonly OwnerReference[] {
  return object?.metadata.ownerReferences ?? [];
}

function isNewlyBlocking(owner: OwnerReference, before: readonly OwnerReference[]): boolean {
  const old = before.find(({ uid }) => uid === owner.uid);
  return owner.blockOwnerDeletion === true && old?.blockOwnerDeletion !== true;
}

function deletionOf({ resource, subresource, name, namespace }: AdmissionRequest): AccessRequest {
  const { group, version, plural } = resource;
  return {
    ...{ verb: "delete", group, version, resource: plural, name },
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
  };
}

function finalizersOf(
  { apiVersion, kind, name }: OwnerReference,
  { namespace }: AdmissionRequest,
  registry: Pick<ResourceRegistry, "findKind">,
): AccessRequest | { readonly problem: string } {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const owner = registry.findKind(group, version, kind);
  if (owner === undefined)
    return {
      problem:
        `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} ` +
        `Kind ${kind}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
    };
  return {
    ...{ verb: "update", group, version, resource: owner.plural, subresource: "finalizers", name },
    ...(owner.scope === "Namespaced" && namespace !== undefined && { namespace }),
  };
}
