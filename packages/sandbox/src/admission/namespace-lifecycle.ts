import { isRecord } from "@keelson/core";
import type { StoredObjects } from "../resource/stored-objects.ts";
import { ApiError, forbidden, notFound } from "../status/api-error.ts";
import type { MutatingAdmission } from "./admission.ts";
import { refused } from "./admission.ts";

const undeletable: ReadonlySet<string> = new Set(["default", "kube-public", "kube-system"]);
const namespaces = { group: "", plural: "namespaces" };

/** Refuses creates in namespaces that do not exist or are being deleted, and deletions of system namespaces. */
export function namespaceLifecycle(read: StoredObjects): MutatingAdmission {
  return {
    name: "NamespaceLifecycle",
    mutate(request, object) {
      const { operation, resource, namespace, name } = request;
      if (resource.plural === "namespaces" && resource.group === "") {
        if (operation === "DELETE" && request.subresource === undefined && undeletable.has(name)) {
          throw forbidden(resource, name, "this namespace may not be deleted");
        }
        return;
      }
      if (namespace === undefined || operation === "DELETE" || operation === "CONNECT") return;
      // A user that may only create access reviews must not learn which namespaces exist.
      if (resource.plural === "localsubjectaccessreviews") return;
      const found = read.get(namespaces, namespace);
      if (found === undefined) throw notFound(namespaces, namespace);
      if (operation !== "CREATE" || phaseOf(found.status) !== "Terminating") return;
      const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
      throw withCause(refused(request, object, why), namespace);
    },
  };
}

function phaseOf(status: unknown): unknown {
  return isRecord(status) ? status.phase : undefined;
}

function withCause({ status }: ApiError, namespace: string): ApiError {
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  return new ApiError({
    httpCode: status.code,
    reason: "Forbidden",
    message: status.message ?? "",
    details: { ...status.details, causes: [cause] },
  });
}
