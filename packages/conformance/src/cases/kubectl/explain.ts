import type { CaseGroup } from "../../conformance-case.ts";
import { session } from "./session.ts";
import { documentsAreFresh, widgetsAreRemoved, widgetsAreServed } from "./widget.ts";

/** Descriptions are left out of the comparison; the fields are compared. */
export const explainCases: CaseGroup = {
  title: "kubectl explain",
  cases: [
    session("explain lists all fields of a ConfigMap", "explain configmaps --recursive", "explain cm.data"),
    session(
      "explain lists all fields of a Deployment's spec",
      "explain deployment.spec.strategy --recursive",
      "explain deployment.spec.template.spec.containers.ports --recursive",
      "explain deployments.spec.replicas",
    ),
    session(
      "explain lists all fields of a Job, a Service and a Role",
      "explain job.spec.podFailurePolicy --recursive",
      "explain service.spec.ports --recursive",
      "explain role --recursive",
    ),
    session(
      "explain takes a version and refuses what it does not know",
      "explain hpa.spec.metrics.resource --api-version=autoscaling/v2 --recursive",
      "explain deployment --api-version=apps/v9",
      "explain deployment.spec.nothing",
      "explain nothings",
      "explain",
    ),
    session(
      "explain lists all fields of a custom resource",
      widgetsAreServed,
      documentsAreFresh,
      "explain widgets --api-version=$ns.example.com/v1 --recursive",
      "explain widgets.spec.parts --api-version=$ns.example.com/v1 --recursive",
      "explain widgets.spec.none --api-version=$ns.example.com/v1",
      widgetsAreRemoved,
    ),
  ],
};
