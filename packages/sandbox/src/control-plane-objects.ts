import { type KubeObject, keyOf, type Resource } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@keelson/core/kinds/rbac/v1";
import { PriorityClass } from "@keelson/core/kinds/scheduling/v1";
import { bootstrapPolicy } from "./auth/bootstrap/bootstrap-policy.ts";
import { systemPriorityClasses } from "./builtin/cluster/priority-class.ts";
import { createInitialObjects } from "./controllers/cluster/initial-objects.ts";
import type { ObjectApi } from "./server/write/object-api.ts";

const manager = "kube-apiserver";

/**
 * Creates the objects of every new cluster: namespaces, the kubernetes Service, priority classes, roles and bindings, and
 * the certificates by which other servers know the clients of this one.
 */
export async function createControlPlaneObjects(objects: ObjectApi, certificates = ""): Promise<void> {
  await createInitialObjects({ objects });
  if (certificates !== "") await publishClientAuthority(objects, certificates);
  await createAll(objects, PriorityClass, systemPriorityClasses);
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = bootstrapPolicy();
  await createAll(objects, ClusterRole, clusterRoles);
  await createAll(objects, ClusterRoleBinding, clusterRoleBindings);
  await createAll(objects, Role, roles);
  await createAll(objects, RoleBinding, roleBindings);
}

async function createAll<T extends KubeObject>(
  objects: ObjectApi,
  resource: Resource<T>,
  desired: readonly T[],
): Promise<void> {
  for (const object of desired) {
    // A user may have changed it in an earlier run; the change stays.
    if (objects.get(resource, keyOf(object)) === undefined)
      await objects.create(resource, object, { manager });
  }
}

/** Other servers read from this ConfigMap which client certificates they can trust. */
async function publishClientAuthority(objects: ObjectApi, certificates: string): Promise<void> {
  const metadata = { name: "extension-apiserver-authentication", namespace: "kube-system" };
  const data = { "client-ca-file": certificates };
  const before = objects.get(ConfigMap, metadata);
  if (before === undefined) {
    await objects.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata, data }, { manager });
  } else if (before.data?.["client-ca-file"] !== certificates) {
    await objects.update(ConfigMap, { ...before, data: { ...before.data, ...data } }, { manager });
  }
}
