import { allow, type RulesByRole } from "./policy-notation.ts";

/** Roles of nodes and of the controllers that sign their certificates. */
export const nodeRoles: RulesByRole = {
  "system:certificates.k8s.io:certificatesigningrequests:nodeclient": [
    allow("create", "certificates.k8s.io", "certificatesigningrequests/nodeclient"),
  ],
  "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient": [
    allow("create", "certificates.k8s.io", "certificatesigningrequests/selfnodeclient"),
  ],
  "system:certificates.k8s.io:kube-apiserver-client-approver": [
    {
      ...allow("approve", "certificates.k8s.io", "signers"),
      resourceNames: ["kubernetes.io/kube-apiserver-client"],
    },
  ],
  "system:certificates.k8s.io:kube-apiserver-client-kubelet-approver": [
    {
      ...allow("approve", "certificates.k8s.io", "signers"),
      resourceNames: ["kubernetes.io/kube-apiserver-client-kubelet"],
    },
  ],
  "system:certificates.k8s.io:kubelet-serving-approver": [
    {
      ...allow("approve", "certificates.k8s.io", "signers"),
      resourceNames: ["kubernetes.io/kubelet-serving"],
    },
  ],
  "system:certificates.k8s.io:legacy-unknown-approver": [
    {
      ...allow("approve", "certificates.k8s.io", "signers"),
      resourceNames: ["kubernetes.io/legacy-unknown"],
    },
  ],
  "system:kubelet-api-admin": [
    allow("get list watch", "core", "nodes"),
    allow("proxy", "core", "nodes"),
    allow("*", "core", "nodes/log nodes/metrics nodes/proxy nodes/stats"),
    allow("*", "core", "nodes/configz nodes/healthz nodes/pods"),
  ],
  "system:node": [
    allow("create", "authentication.k8s.io", "tokenreviews"),
    allow("create", "authorization.k8s.io", "localsubjectaccessreviews subjectaccessreviews"),
    allow("get list watch", "core", "services"),
    allow("create get list watch", "core", "nodes"),
    allow("patch update", "core", "nodes/status"),
    allow("patch update", "core", "nodes"),
    allow("create patch update", "core events.k8s.io", "events"),
    allow("get list watch", "core", "pods"),
    allow("create delete", "core", "pods"),
    allow("patch update", "core", "pods/status"),
    allow("create", "core", "pods/eviction"),
    allow("get list watch", "core", "configmaps secrets"),
    allow("get", "core", "persistentvolumeclaims persistentvolumes"),
    allow("get", "core", "endpoints"),
    allow("create get list watch", "certificates.k8s.io", "certificatesigningrequests"),
    allow("create delete get patch update", "coordination.k8s.io", "leases"),
    allow("get", "storage.k8s.io", "volumeattachments"),
    allow("create", "core", "serviceaccounts/token"),
    allow("get patch update", "core", "persistentvolumeclaims/status"),
    allow("get list watch", "storage.k8s.io", "csidrivers"),
    allow("create delete get patch update", "storage.k8s.io", "csinodes"),
    allow("get list watch", "node.k8s.io", "runtimeclasses"),
    allow("get", "resource.k8s.io", "resourceclaims"),
    allow("deletecollection", "resource.k8s.io", "resourceslices"),
    allow("get", "core", "serviceaccounts"),
  ],
  "system:node-bootstrapper": [
    allow("create get list watch", "certificates.k8s.io", "certificatesigningrequests"),
  ],
  "system:node-problem-detector": [
    allow("get", "core", "nodes"),
    allow("patch", "core", "nodes/status"),
    allow("create patch update", "core events.k8s.io", "events"),
  ],
  "system:node-proxier": [
    allow("list watch", "core", "endpoints services"),
    allow("get list watch", "core", "nodes"),
    allow("create patch update", "core events.k8s.io", "events"),
    allow("list watch", "networking.k8s.io", "servicecidrs"),
    allow("list watch", "discovery.k8s.io", "endpointslices"),
  ],
};
