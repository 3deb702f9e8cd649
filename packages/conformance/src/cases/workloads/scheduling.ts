import { type CaseGroup, conforms } from "../../conformance-case.ts";
import { field, type Stage } from "../../stage.ts";
import { hasCondition, hasField, isGone, prepared } from "../kubectl/settling.ts";
import { type Fields, manifest } from "../manifests.ts";
import { show, showConditions, showEvents } from "./pods-of.ts";

const pod = (name: string, spec: Fields = {}, annotations: Fields = {}): Fields =>
  manifest("v1", "Pod", name, {
    metadata: { labels: { app: name }, annotations },
    spec: { terminationGracePeriodSeconds: 1, containers: [{ name: "main", image: "web:1" }], ...spec },
  });
const make = (stage: Stage, spec: Fields, annotations: Fields = {}): Promise<unknown> =>
  prepared("pods", pod("web", spec, annotations))(stage);
const isUnschedulable = hasCondition("pods/web", "PodScheduled", "False");
const runs = hasField("pods/web", "status.phase", "Running");
const phase = ["status.phase", "status.reason", "status.message", "status.qosClass"];
const reason = "status.conditions";

export const schedulingCases: CaseGroup = {
  title: "pods",
  cases: [
    conforms("a pod is bound to a node and runs", async (stage) => {
      await make(stage, {});
      await runs(stage);
      await hasCondition("pods/web", "Ready")(stage);
      await show(stage, "pods/web", [...phase, "spec.nodeName"]);
      await showConditions(stage, "pods/web");
      await showEvents(stage, "Pod", 1);
      await stage.kubectl("get pod web -o wide");
    }),
    conforms("a pod runs on the node that it asks for", async (stage) => {
      await make(stage, { nodeSelector: { "kubernetes.io/hostname": "hollow-2" } });
      await runs(stage);
      const placed = await stage.until(
        stage.path("pods/web"),
        (object) => field(object, "spec.nodeName") !== undefined,
      );
      stage.record("is on the second node", field(placed, "spec.nodeName") === "hollow-2");
    }),
    conforms("a pod that has its node already needs no scheduler", async (stage) => {
      await make(stage, { nodeName: "hollow-1", schedulerName: "no-scheduler" });
      await runs(stage);
      await hasCondition("pods/web", "Ready")(stage);
      await showConditions(stage, "pods/web");
    }),
    conforms("a pod that no node fits waits", async (stage) => {
      await make(stage, { nodeSelector: { none: "here" } });
      await isUnschedulable(stage);
      await show(stage, "pods/web", phase);
      const object = await stage.until(stage.path("pods/web"), (found) => field(found, reason) !== undefined);
      stage.record(
        "says it does not fit",
        JSON.stringify(object).includes("didn't match Pod's node affinity/selector"),
      );
      await stage.kubectl("get pod web");
    }),
    conforms("a pod that asks for too much waits", async (stage) => {
      await make(stage, {
        containers: [{ name: "main", image: "web:1", resources: { requests: { cpu: "100000" } } }],
      });
      await isUnschedulable(stage);
      await show(stage, "pods/web", phase);
      const object = await stage.until(stage.path("pods/web"), (found) => field(found, reason) !== undefined);
      stage.record("says what it lacks", JSON.stringify(object).includes("Insufficient cpu"));
    }),
    conforms("a pod behind a gate is not scheduled until it is opened", async (stage) => {
      await make(stage, { schedulingGates: [{ name: "example.com/gate" }] });
      await isUnschedulable(stage);
      await showConditions(stage, "pods/web");
      await stage.kubectl("get pod web");
      await stage.kubectl('patch pod web --type=json -p [{"op":"remove","path":"/spec/schedulingGates"}]');
      await runs(stage);
    }),
    conforms("a pod that ends well and one that fails", async (stage) => {
      await make(stage, { restartPolicy: "Never" });
      await prepared(
        "pods",
        pod("bad", { restartPolicy: "Never" }, { "hollow.keelson.dev/exit-code": "7" }),
      )(stage);
      await hasField("pods/web", "status.phase", "Succeeded")(stage);
      await hasField("pods/bad", "status.phase", "Failed")(stage);
      await showConditions(stage, "pods/web");
      await showConditions(stage, "pods/bad");
      await stage.kubectl("get pods");
      await stage.kubectl([
        "get",
        "pods",
        "-o",
        "jsonpath={range .items[*]}{.status.containerStatuses[0].state.terminated.exitCode} {end}",
      ]);
    }),
    conforms("a pod whose image is not there waits for it", async (stage) => {
      await make(stage, {}, { "hollow.keelson.dev/pull": "fail" });
      await stage.until(stage.path("pods/web"), (object) => JSON.stringify(object).includes("ImagePull"));
      await show(stage, "pods/web", phase);
      await showConditions(stage, "pods/web");
    }),
    conforms("a pod that is deleted is given time by its node", async (stage) => {
      await make(stage, {});
      await runs(stage);
      await stage.kubectl("delete pod web --wait=false");
      await isGone("pods/web")(stage);
      await stage.kubectl("get pods");
    }),
    conforms("a pod's requests decide its class", async (stage) => {
      const resources = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } };
      await make(stage, { containers: [{ name: "main", image: "web:1", resources }] });
      await runs(stage);
      await show(stage, "pods/web", phase);
    }),
    conforms("a pod with init containers runs them first", async (stage) => {
      await make(stage, { initContainers: [{ name: "first", image: "init:1" }] });
      await hasCondition("pods/web", "Ready")(stage);
      await showConditions(stage, "pods/web");
      await stage.kubectl("get pod web");
    }),
  ],
};
