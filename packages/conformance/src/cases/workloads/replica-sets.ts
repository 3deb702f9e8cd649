import { type CaseGroup, conforms } from "../../conformance-case.ts";
import { countIs, hasField, podsAre, prepared } from "../kubectl/settling.ts";
import { type Fields, manifest } from "../manifests.ts";
import { podTemplateOf, show, showAll, showConditions, showEvents, workloadOf } from "./pods-of.ts";

const path = "apps/v1:replicasets/web";
const replicaSet = (spec: Fields = {}): Fields => workloadOf("ReplicaSet", "web", { replicas: 2, ...spec });
const ready = (count: number) => hasField(path, "status.availableReplicas", count);
const owners = ["metadata.labels", "metadata.ownerReferences"];

const pod = (name: string, labels: Fields): Fields =>
  manifest("v1", "Pod", name, { metadata: { labels }, spec: podTemplateOf("web").spec });

export const replicaSetCases: CaseGroup = {
  title: "ReplicaSets",
  cases: [
    conforms("a ReplicaSet makes its pods", async (stage) => {
      await prepared("apps/v1:replicasets", replicaSet())(stage);
      await ready(2)(stage);
      await show(stage, path, ["metadata.generation", "status"]);
      await showAll(stage, "pods", [...owners, "metadata.generateName", "spec.nodeName"]);
      await showEvents(stage, "ReplicaSet", 2);
    }),
    conforms("a ReplicaSet adopts a pod that fits and makes the rest", async (stage) => {
      await prepared("pods", pod("stray", { app: "web" }))(stage);
      await hasField("pods/stray", "status.phase", "Running")(stage);
      await prepared("apps/v1:replicasets", replicaSet())(stage);
      await ready(2)(stage);
      await podsAre(2)(stage);
      await show(stage, "pods/stray", owners);
    }),
    conforms("a ReplicaSet deletes a pod that is too many", async (stage) => {
      await prepared("apps/v1:replicasets", replicaSet({ replicas: 1 }))(stage);
      await ready(1)(stage);
      await prepared("pods", pod("stray", { app: "web" }))(stage);
      await podsAre(1)(stage);
      await showEvents(stage, "ReplicaSet", 2);
    }),
    conforms("a pod that loses its label is let go and replaced", async (stage) => {
      await prepared("apps/v1:replicasets", replicaSet({ replicas: 1 }))(stage);
      await ready(1)(stage);
      await stage.kubectl("label pods -l app=web app=free --overwrite");
      await podsAre(2)(stage);
      await podsAre(1, "app=web")(stage);
      await ready(1)(stage);
      await stage.until(
        stage.path("pods?labelSelector=app%3Dfree"),
        (list) => !JSON.stringify(list).includes("ownerReferences"),
      );
      await showAll(stage, "pods", owners);
    }),
    conforms("a ReplicaSet makes anew what is deleted", async (stage) => {
      await prepared("apps/v1:replicasets", replicaSet({ replicas: 1 }))(stage);
      await ready(1)(stage);
      await stage.kubectl("delete pods -l app=web");
      await ready(1)(stage);
      await podsAre(1)(stage);
      await showEvents(stage, "ReplicaSet", 2);
    }),
    conforms("orphaned pods are adopted by another ReplicaSet", async (stage) => {
      await prepared("apps/v1:replicasets", replicaSet())(stage);
      await ready(2)(stage);
      await stage.kubectl("delete rs web --cascade=orphan");
      await showAll(stage, "pods", owners);
      await prepared("apps/v1:replicasets", replicaSet())(stage);
      await ready(2)(stage);
      await showAll(stage, "pods", owners);
    }),
    conforms("a ReplicaSet whose pods are refused reports it in its status", async (stage) => {
      await prepared(
        "apps/v1:replicasets",
        replicaSet({ template: podTemplateOf("web", { spec: { serviceAccountName: "missing" } }) }),
      )(stage);
      await stage.until(stage.path(path), (object) => JSON.stringify(object).includes("ReplicaFailure"));
      await showConditions(stage, path);
      await showEvents(stage, "ReplicaSet", 1);
    }),
    conforms("a ReplicaSet of none has none", async (stage) => {
      await prepared("apps/v1:replicasets", replicaSet({ replicas: 0 }))(stage);
      await hasField(path, "status.observedGeneration", 1)(stage);
      await countIs("pods", 0)(stage);
      await show(stage, path, ["spec", "status"]);
    }),
  ],
};
