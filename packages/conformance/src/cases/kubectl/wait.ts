import type { CaseGroup } from "../../conformance-case.ts";
import { configMap } from "../manifests.ts";
import { session } from "./session.ts";
import { prepared, rolledOut } from "./settling.ts";
import { idlePod, web } from "./web.ts";
import { widget, widgetsAreRemoved, widgetsAreServed } from "./widget.ts";

const settings = prepared("configmaps", configMap("settings"));

export const waitCases: CaseGroup = {
  title: "kubectl wait",
  cases: [
    session(
      "wait for a condition",
      prepared("apps/v1:deployments", web({ replicas: 1 })),
      "wait deployment/web --for=condition=Available --timeout=30s",
      rolledOut("web", 1),
      "wait pods -l app=web --for=condition=Ready --timeout=30s",
      "wait deployment/web --for=condition=Available=False --timeout=5s",
      "wait deployment/web --for=condition=Nothing --timeout=5s",
      "wait deployments --all --for=condition=progressing --timeout=30s",
    ),
    session(
      "wait for a value at a path",
      prepared("pods", idlePod("idle")),
      settings,
      "wait pod/idle --for=jsonpath={.status.phase}=Pending --timeout=10s",
      "wait pod/idle --for=jsonpath={.status.phase}=Running --timeout=5s",
      "wait pod/idle --for=jsonpath={.status.phase} --timeout=10s",
      "wait configmap/settings --for=jsonpath={.data.color}=blue --timeout=10s",
      "wait configmap/settings --for=jsonpath={.none}=blue --timeout=5s",
      "wait configmap/settings --for=jsonpath={.data",
    ),
    session(
      "wait for a deletion",
      settings,
      "wait configmap/settings --for=delete --timeout=5s",
      "wait configmap/none --for=delete --timeout=5s",
      "delete configmap settings",
      "wait configmap/settings --for=delete --timeout=10s",
      "wait configmap/settings --for=condition=Ready --timeout=5s",
    ),
    session(
      "wait for a creation",
      settings,
      "wait configmap/settings --for=create --timeout=10s",
      "wait configmap/none --for=create --timeout=5s",
      "wait configmap/settings --for=nonsense",
    ),
    session(
      "wait for a definition and a Job",
      widgetsAreServed,
      "wait crd/widgets.$ns.example.com --for=condition=Established --timeout=10s",
      ["create -f -", widget("one")],
      "wait widgets.$ns.example.com/one --for=jsonpath={.spec.size}=2 --timeout=10s",
      widgetsAreRemoved,
      "create job once --image=job:1",
      "wait job/once --for=condition=complete --timeout=30s",
    ),
  ],
};
