import type { CaseGroup } from "../../conformance-case.ts";
import { session } from "./session.ts";
import { hasCondition, observed, prepared, rolledOut } from "./settling.ts";
import { web } from "./web.ts";
import { widget, widgetsAreRemoved, widgetsAreServed } from "./widget.ts";

const aWeb = [prepared("apps/v1:deployments", web()), observed("apps/v1:deployments/web")];

export const scaleCases: CaseGroup = {
  title: "kubectl scale and autoscale",
  cases: [
    session(
      "scale sets the replicas",
      ...aWeb,
      "scale deployment web --replicas=2",
      rolledOut("web", 2),
      "get deployment web",
      "scale deployment/web --replicas=0 --timeout=20s",
      rolledOut("web", 0),
      "get deployment web",
    ),
    session(
      "scale heeds what it expects to find",
      ...aWeb,
      "scale deployment web --replicas=1 --current-replicas=5",
      "scale deployment web --replicas=0 --current-replicas=0",
      "scale deployment web --replicas=-1",
      "scale deployment none --replicas=1",
      "scale configmap kube-root-ca.crt --replicas=1",
      "scale deployment web --replicas=3 --dry-run=server",
    ),
    session(
      "scale takes several workloads",
      ...aWeb,
      prepared("apps/v1:statefulsets", { ...web({ serviceName: "db" }), kind: "StatefulSet" }),
      "scale deployment/web statefulset/web --replicas=0",
      "scale --all deployments --replicas=0",
    ),
    session(
      "scale of a custom resource",
      widgetsAreServed,
      ["create -f -", widget("one")],
      "scale widgets.$ns.example.com one --replicas=5",
      "scale widgets.$ns.example.com one --replicas=0",
      "get widgets.$ns.example.com one -o jsonpath={.spec}{.metadata.generation}",
      "get widgets.$ns.example.com one --subresource=scale -o yaml",
      widgetsAreRemoved,
    ),
    session(
      "autoscale makes an autoscaler",
      ...aWeb,
      "autoscale deployment web --min=1 --max=3 --cpu=50%",
      "autoscale deployment web --min=3 --max=1",
      "autoscale deployment none --max=1",
      "get hpa web -o jsonpath={.spec}",
    ),
    session(
      "scaling up is waited for",
      ...aWeb,
      "scale deployment web --replicas=1",
      "wait deployment/web --for=condition=Available --timeout=30s",
      hasCondition("apps/v1:deployments/web", "Available"),
      rolledOut("web", 1),
      "get deployment web -o jsonpath={.status.readyReplicas}",
    ),
  ],
};
