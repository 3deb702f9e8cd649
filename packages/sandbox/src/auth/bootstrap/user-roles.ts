import { allow, allowPaths, type RulesByRole } from "./policy-notation.ts";

/** Roles for users, and for discovery. */
export const userRoles: RulesByRole = {
  "cluster-admin": [allow("*", "*", "*"), allowPaths("*", "*")],
  "system:aggregate-to-admin": [
    allow("create", "authorization.k8s.io", "localsubjectaccessreviews"),
    allow(
      "create delete deletecollection get list patch update watch",
      "rbac.authorization.k8s.io",
      "rolebindings roles",
    ),
  ],
  "system:aggregate-to-edit": [
    allow(
      "get list watch",
      "core",
      "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy",
    ),
    allow("impersonate", "core", "serviceaccounts"),
    allow(
      "create delete deletecollection patch update",
      "core",
      "pods pods/attach pods/exec pods/portforward pods/proxy",
    ),
    allow("create", "core", "pods/eviction"),
    allow(
      "create delete deletecollection patch update",
      "core",
      "configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale",
      "secrets serviceaccounts services services/proxy",
    ),
    allow("create", "core", "serviceaccounts/token"),
    allow("create delete deletecollection patch update", "core events.k8s.io", "events"),
    allow(
      "create delete deletecollection patch update",
      "apps",
      "daemonsets deployments deployments/rollback deployments/scale replicasets",
      "replicasets/scale statefulsets statefulsets/scale",
    ),
    allow("create delete deletecollection patch update", "autoscaling", "horizontalpodautoscalers"),
    allow("create delete deletecollection patch update", "batch", "cronjobs jobs"),
    allow(
      "create delete deletecollection patch update",
      "extensions",
      "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies",
      "replicasets replicasets/scale replicationcontrollers/scale",
    ),
    allow("create delete deletecollection patch update", "policy", "poddisruptionbudgets"),
    allow("create delete deletecollection patch update", "networking.k8s.io", "ingresses networkpolicies"),
    allow("create delete deletecollection get list patch update watch", "coordination.k8s.io", "leases"),
    allow(
      "create delete deletecollection patch update",
      "resource.k8s.io",
      "resourceclaims resourceclaimtemplates",
    ),
  ],
  "system:aggregate-to-view": [
    allow(
      "get list watch",
      "core",
      "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods",
      "replicationcontrollers replicationcontrollers/scale serviceaccounts services",
      "services/status",
    ),
    allow(
      "get list watch",
      "core",
      "bindings limitranges namespaces/status pods/log pods/status",
      "replicationcontrollers/status resourcequotas resourcequotas/status",
    ),
    allow("get list watch", "core", "namespaces"),
    allow("get list watch", "core events.k8s.io", "events"),
    allow("get list watch", "discovery.k8s.io", "endpointslices"),
    allow(
      "get list watch",
      "apps",
      "controllerrevisions daemonsets daemonsets/status deployments deployments/scale",
      "deployments/status replicasets replicasets/scale replicasets/status statefulsets",
      "statefulsets/scale statefulsets/status",
    ),
    allow("get list watch", "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
    allow("get list watch", "batch", "cronjobs cronjobs/status jobs jobs/status"),
    allow(
      "get list watch",
      "extensions",
      "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses",
      "ingresses/status networkpolicies replicasets replicasets/scale replicasets/status",
      "replicationcontrollers/scale",
    ),
    allow("get list watch", "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
    allow("get list watch", "networking.k8s.io", "ingresses ingresses/status networkpolicies"),
    allow("get list watch", "resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates"),
  ],
  "system:basic-user": [
    allow("create", "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
    allow("create", "authentication.k8s.io", "selfsubjectreviews"),
  ],
  "system:discovery": [
    allowPaths(
      "get",
      "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/",
    ),
  ],
  "system:public-info-viewer": [allowPaths("get", "/healthz /livez /readyz /version /version/")],
  "system:service-account-issuer-discovery": [
    allowPaths(
      "get",
      "/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks",
      "/openid/v1/jwks/",
    ),
  ],
  "system:monitoring": [
    allowPaths(
      "get",
      "/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*",
      "/statusz",
    ),
    allow("get", "core", "nodes/metrics"),
  ],
  "system:auth-delegator": [
    allow("create", "authentication.k8s.io", "tokenreviews"),
    allow("create", "authorization.k8s.io", "subjectaccessreviews"),
  ],
};
