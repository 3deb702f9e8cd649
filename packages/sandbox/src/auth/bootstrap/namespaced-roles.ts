import type { Subject } from "@keelson/core/kinds/rbac/v1";
import { account, allow, type RulesByRole, user } from "./policy-notation.ts";

const events = allow("create patch update", "core events.k8s.io", "events");

const leaderLocking = [
  allow("create get list update watch", "coordination.k8s.io", "leases"),
  allow("create get list update watch", "coordination.k8s.io", "leasecandidates"),
];

/** Roles in namespaces of the control plane, by namespace. */
export const namespacedRoles: Readonly<Record<string, RulesByRole>> = {
  "kube-public": {
    "system:controller:bootstrap-signer": [
      allow("get list watch", "core", "configmaps"),
      { ...allow("update", "core", "configmaps"), resourceNames: ["cluster-info"] },
      events,
    ],
  },
  "kube-system": {
    "extension-apiserver-authentication-reader": [
      {
        ...allow("get list watch", "core", "configmaps"),
        resourceNames: ["extension-apiserver-authentication"],
      },
    ],
    "system::leader-locking-kube-controller-manager": leaderLocking,
    "system::leader-locking-kube-scheduler": leaderLocking,
    "system:controller:bootstrap-signer": [allow("get list watch", "core", "secrets")],
    "system:controller:cloud-provider": [allow("create get list watch", "core", "configmaps")],
    "system:controller:token-cleaner": [allow("delete get list watch", "core", "secrets"), events],
  },
};

interface NamespacedBinding {
  readonly name: string;
  readonly role: string;
  readonly subjects: readonly Subject[];
}

/** The bindings of these roles. */
export const namespacedBindings: Readonly<Record<string, readonly NamespacedBinding[]>> = {
  "kube-public": [ofController("bootstrap-signer")],
  "kube-system": [
    {
      name: "system::extension-apiserver-authentication-reader",
      role: "extension-apiserver-authentication-reader",
      subjects: [user("system:kube-controller-manager"), user("system:kube-scheduler")],
    },
    leader("kube-controller-manager", "leader-election-controller"),
    leader("kube-scheduler"),
    ofController("bootstrap-signer"),
    ofController("cloud-provider"),
    ofController("token-cleaner"),
  ],
};

function ofController(name: string): NamespacedBinding {
  const role = `system:controller:${name}`;
  return { name: role, role, subjects: [account(name)] };
}

function leader(component: string, ...others: readonly string[]): NamespacedBinding {
  const role = `system::leader-locking-${component}`;
  return {
    name: role,
    role,
    subjects: [user(`system:${component}`), ...[component, ...others].map(account)],
  };
}
