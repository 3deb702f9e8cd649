import type { CaseGroup } from "../../conformance-case.ts";
import { session } from "./session.ts";
import { mayDo } from "./settling.ts";

const asAnn = "--as=ann";

export const accessCases: CaseGroup = {
  title: "kubectl auth",
  cases: [
    session(
      "can-i reports what the administrator may do",
      "auth can-i create pods",
      "auth can-i '*' '*'",
      "auth can-i get /healthz",
      "auth can-i get nothings",
      "auth can-i create pods --subresource=log",
      "auth can-i --list",
    ),
    session(
      "can-i reports what another user may do",
      "create role reader --verb=get,list --resource=configmaps",
      "create rolebinding read --role=reader --user=ann",
      mayDo("ann", "get", "configmaps"),
      `auth can-i get configmaps ${asAnn}`,
      `auth can-i get configmaps/settings ${asAnn}`,
      `auth can-i delete configmaps ${asAnn}`,
      `auth can-i get secrets ${asAnn} -q`,
      `auth can-i get configmaps ${asAnn} -A`,
      `auth can-i get nodes ${asAnn}`,
      `auth can-i get pods ${asAnn} --as-group=system:masters`,
      `auth can-i --list ${asAnn} --no-headers`,
    ),
    session(
      "what a user may not do is refused",
      `get configmaps ${asAnn}`,
      `get configmap settings ${asAnn}`,
      `create configmap settings ${asAnn}`,
      `delete configmaps --all ${asAnn}`,
      `get nodes ${asAnn}`,
      `get --raw=/metrics ${asAnn}`,
      `scale deployment web --replicas=1 ${asAnn}`,
    ),
    session(
      "a ServiceAccount may do what its binding allows",
      "create rolebinding look --clusterrole=view --serviceaccount=$ns:default",
      mayDo("system:serviceaccount:$ns:default", "list", "pods"),
      "auth can-i list pods --as=system:serviceaccount:$ns:default",
      "auth can-i list secrets --as=system:serviceaccount:$ns:default",
      "auth can-i list pods -n default --as=system:serviceaccount:$ns:default",
      "get configmaps --as=system:serviceaccount:$ns:default -o name",
    ),
    session(
      "whoami shows the current user",
      `auth whoami ${asAnn} --as-group=devs`,
      "auth whoami -o json --as=system:serviceaccount:$ns:default",
    ),
    session(
      "reconcile adds what is missing of access rules",
      [
        "auth reconcile -f -",
        {
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "Role",
          metadata: { name: "reader" },
          rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
        },
      ],
      [
        "auth reconcile -f -",
        {
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "Role",
          metadata: { name: "reader" },
          rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }],
        },
      ],
      "get role reader -o jsonpath={.rules}",
    ),
    session(
      "kubectl cannot grant permissions that its user does not have",
      "create role binder --verb=create,get,update --resource=roles,rolebindings",
      "create rolebinding bind --role=binder --user=ann",
      mayDo("ann", "create", "roles", "rbac.authorization.k8s.io"),
      `create role strong --verb=delete --resource=secrets ${asAnn}`,
      "create role strong --verb=delete --resource=secrets",
      "create rolebinding strongest --role=strong --user=carl",
      mayDo("carl", "delete", "secrets"),
      `create rolebinding strong --role=strong --user=ann ${asAnn}`,
      `create rolebinding more --role=binder --user=bob ${asAnn}`,
    ),
  ],
};
