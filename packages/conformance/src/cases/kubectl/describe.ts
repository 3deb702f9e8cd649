import type { CaseGroup } from "../../conformance-case.ts";
import { configMap, secret, service } from "../manifests.ts";
import { session } from "./session.ts";
import { countIs, hasCondition, hasEvents, hasField, observed, prepared, rolledOut } from "./settling.ts";
import { idlePod, web, webTemplate } from "./web.ts";
import { widget, widgetsAreRemoved, widgetsAreServed } from "./widget.ts";

const full = {
  containers: [
    {
      name: "main",
      image: "web:1",
      command: ["run"],
      args: ["it"],
      ports: [{ containerPort: 80 }],
      env: [
        { name: "A", value: "1" },
        { name: "B", valueFrom: { configMapKeyRef: { name: "settings", key: "b", optional: true } } },
      ],
      resources: { requests: { cpu: "1" }, limits: { memory: "1Gi" } },
      readinessProbe: { httpGet: { path: "/ready", port: 80 } },
      volumeMounts: [{ name: "data", mountPath: "/data" }],
    },
  ],
  volumes: [{ name: "data", emptyDir: {} }],
};

export const describeCases: CaseGroup = {
  title: "kubectl describe",
  cases: [
    session(
      "describe shows a pod without a node",
      prepared("pods", idlePod("idle", { spec: full })),
      "describe pod idle",
    ),
    session(
      "describe shows a pod that runs",
      prepared("apps/v1:deployments", web({ replicas: 1 })),
      rolledOut("web", 1),
      "describe pods -l app=web --show-events=false",
    ),
    session(
      "describe shows a Deployment and its ReplicaSet",
      prepared("apps/v1:deployments", web({ replicas: 1, template: webTemplate(full) })),
      rolledOut("web", 1),
      hasEvents("Deployment", 1),
      hasEvents("ReplicaSet", 1),
      "describe deployment web",
      "describe replicasets -l app=web",
    ),
    session(
      "describe shows a StatefulSet",
      prepared("apps/v1:statefulsets", { ...web({ serviceName: "db" }), kind: "StatefulSet" }),
      observed("apps/v1:statefulsets/web"),
      "describe statefulset web",
    ),
    session(
      "describe shows a Service and its slices",
      prepared(
        "services",
        service("front", { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: 8080 }] }),
      ),
      countIs("discovery.k8s.io/v1:endpointslices", 1),
      hasField("endpoints/front", "metadata.name", "front"),
      // A repair loop of the real server may complain of a new address at any time.
      "describe service front --show-events=false",
      "describe endpointslices -l kubernetes.io/service-name=front",
      "describe endpoints front",
    ),
    session("describe shows a namespace", "label namespace $ns team=own", "describe namespace $ns"),
    session(
      "describe shows a Job",
      "create job once --image=job:1",
      hasCondition("batch/v1:jobs/once", "Complete"),
      "describe job once --show-events=false",
    ),
    session(
      "describe shows a CronJob",
      "create cronjob tick --image=job:1 --schedule='0 0 1 1 *'",
      "describe cronjob tick",
    ),
    session(
      "describe shows data and hides Secrets",
      prepared(
        "configmaps",
        configMap("settings", { data: { a: "1", long: "x\ny\n" }, binaryData: { b: "AAE=" } }),
      ),
      prepared("secrets", secret("login", { stringData: { password: "hidden", user: "me" } })),
      "describe configmap settings",
      "describe secret login",
    ),
    session(
      "describe shows a disruption budget",
      "create pdb safe --selector=app=web --max-unavailable=1",
      hasField("policy/v1:poddisruptionbudgets/safe", "status.observedGeneration", 1),
      "describe pdb safe --show-events=false",
    ),
    session(
      "describe shows access rules",
      "create role reader --verb=get,list --resource=pods,deployments.apps",
      "create rolebinding read --role=reader --user=ann --serviceaccount=$ns:default",
      "describe role reader",
      "describe rolebinding read",
      "describe serviceaccount default",
    ),
    session(
      "describe shows an Ingress",
      "create ingress door --class=own --rule=web.example/path*=front:80,tls=cert",
      "describe ingress door",
    ),
    session(
      "describe shows a custom resource and its definition",
      widgetsAreServed,
      ["create -f -", widget("one", { size: 2, parts: [{ name: "a", count: 1 }] })],
      "describe widgets.$ns.example.com one",
      "describe crd widgets.$ns.example.com",
      widgetsAreRemoved,
    ),
    session(
      "describe finds names by their beginning",
      prepared("configmaps", configMap("front-a")),
      prepared("configmaps", configMap("front-b")),
      "describe configmap front",
      "describe configmap none",
      "describe configmap -l none=here",
      "describe nothings",
    ),
  ],
};
