import { type KubeObject, keyOf, type Resource } from "@keelson/core";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@keelson/core/kinds/rbac/v1";
import { PriorityClass } from "@keelson/core/kinds/scheduling/v1";
import { bootstrapPolicy } from "./auth/bootstrap/bootstrap-policy.ts";
import { systemPriorityClasses } from "./builtin/cluster/priority-class.ts";
import { createInitialObjects } from "./controllers/cluster/initial-objects.ts";
import type { ObjectApi } from "./server/write/object-api.ts";

const manager = "kube-apiserver";

/** Creates the objects of every new cluster: namespaces, the kubernetes Service, priority classes, roles and bindings. */
export async function createControlPlaneObjects(objects: ObjectApi): Promise<void> {
  await createInitialObjects({ objects });
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
