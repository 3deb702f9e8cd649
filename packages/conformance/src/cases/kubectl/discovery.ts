import type { CaseGroup, ConformanceCase } from "../../conformance-case.ts";
import { configMap } from "../manifests.ts";
import { session } from "./session.ts";
import { hasEvents, prepared, rolledOut } from "./settling.ts";
import { web } from "./web.ts";
import { widgetsAreRemoved, widgetsAreServed } from "./widget.ts";

const groups = [
  "apps",
  "batch",
  "autoscaling",
  "policy",
  "rbac.authorization.k8s.io",
  "networking.k8s.io",
  "apiextensions.k8s.io",
  "coordination.k8s.io",
  "discovery.k8s.io",
  "events.k8s.io",
];

const resourcesOf = (group: string): ConformanceCase =>
  session(`api-resources lists ${group}`, `api-resources --api-group=${group} -o wide --sort-by=name`);

export const discoveryCases: CaseGroup = {
  title: "kubectl api-resources, version and events",
  cases: [
    ...groups.map(resourcesOf),
    session(
      "api-resources lists what has no group",
      "api-resources --api-group= -o wide --sort-by=name",
      "api-resources --api-group= --namespaced=false -o name",
      "api-resources --api-group=apps --verbs=deletecollection --no-headers",
      "api-resources --api-group=none.example",
    ),
    session(
      "api-resources lists a custom resource",
      widgetsAreServed,
      "api-resources --api-group=$ns.example.com -o wide --cached=false",
      widgetsAreRemoved,
    ),
    session("version shows the client's and the server's", "version"),
    session("cluster-info shows the address of the server", "cluster-info"),
    session(
      "events are listed, of all and of one",
      prepared("apps/v1:deployments", web({ replicas: 1 })),
      rolledOut("web", 1),
      hasEvents("Deployment", 1),
      "events --for=deployment/web",
      "events --for=deployment/none",
      "events --types=Warning",
      "get events --field-selector=involvedObject.kind=Deployment",
      "get events --field-selector=involvedObject.kind=Deployment -o wide",
      "get events --field-selector=reason=None",
    ),
    session(
      "what --raw reads",
      prepared("configmaps", configMap("settings")),
      "get --raw=/healthz",
      "get --raw=/readyz",
      "get --raw=/livez",
      "get --raw=/api",
      "get --raw=/apis/apps",
      "get --raw=/apis/none.example",
    ),
  ],
};
