import { type CaseGroup, conforms } from "../../conformance-case.ts";
import { field, type Stage } from "../../stage.ts";
import { countIs, hasCondition, hasField, isGone, itemsOf, podsAre, prepared } from "../kubectl/settling.ts";
import { type Fields, manifest } from "../manifests.ts";
import { show, showAll, showConditions, showEvents } from "./pods-of.ts";

const path = "batch/v1:jobs/work";
const failing = { "hollow.keelson.dev/exit-code": "3" };
const endless = { "hollow.keelson.dev/run": "forever" };

function job(spec: Fields = {}, annotations: Fields = {}, podSpec: Fields = {}): Fields {
  const containers = [{ name: "main", image: "job:1" }];
  return manifest("batch/v1", "Job", "work", {
    spec: {
      ...spec,
      template: {
        metadata: { annotations },
        spec: { restartPolicy: "Never", terminationGracePeriodSeconds: 1, containers, ...podSpec },
      },
    },
  });
}

const counts = [
  "status.active",
  "status.ready",
  "status.succeeded",
  "status.failed",
  "status.terminating",
  "status.completedIndexes",
  "status.failedIndexes",
  "status.uncountedTerminatedPods",
];
const podFields = ["metadata.labels", "metadata.annotations", "metadata.finalizers", "status.phase"];

async function onlyPod(stage: Stage): Promise<string> {
  const list = await stage.until(stage.path("pods"), (response) => itemsOf(response).length === 1);
  return String(field(itemsOf(list)[0], "metadata.name"));
}

export const jobCases: CaseGroup = {
  title: "Jobs",
  cases: [
    conforms("a Job completes", async (stage) => {
      await prepared("batch/v1:jobs", job())(stage);
      await hasCondition(path, "Complete")(stage);
      await show(stage, path, [...counts, "metadata.labels", "spec"]);
      await showConditions(stage, path);
      await showAll(stage, "pods", [...podFields, "metadata.ownerReferences", "metadata.generateName"]);
      await showEvents(stage, "Job", 2);
    }),
    conforms("a Job fails when it may not try again", async (stage) => {
      await prepared("batch/v1:jobs", job({ backoffLimit: 0 }, failing))(stage);
      await hasCondition(path, "Failed")(stage);
      await show(stage, path, counts);
      await showConditions(stage, path);
      await showAll(stage, "pods", podFields);
      await showEvents(stage, "Job", 2);
      await stage.kubectl("get jobs");
    }),
    conforms("a Job runs as many pods as its completions", async (stage) => {
      await prepared("batch/v1:jobs", job({ parallelism: 2, completions: 4 }))(stage);
      await hasCondition(path, "Complete")(stage);
      await show(stage, path, counts);
      await showAll(stage, "pods", ["status.phase"]);
    }),
    conforms("a Job without a number of completions ends with its first success", async (stage) => {
      await prepared("batch/v1:jobs", job({ parallelism: 2 }))(stage);
      await hasCondition(path, "Complete")(stage);
      await show(stage, path, counts);
    }),
    conforms("pods at work at once are no more than the parallelism", async (stage) => {
      await prepared("batch/v1:jobs", job({ parallelism: 2, completions: 3 }, endless))(stage);
      await hasField(path, "status.ready", 2)(stage);
      await show(stage, path, counts);
      await podsAre(2)(stage);
      await stage.kubectl('patch job work --type=merge -p {"spec":{"parallelism":1}}');
      await podsAre(1)(stage);
      await hasField(path, "status.active", 1)(stage);
      await showEvents(stage, "Job", 3);
    }),
    conforms("an indexed Job numbers its pods", async (stage) => {
      const spec = { completionMode: "Indexed", completions: 3, parallelism: 3 };
      await prepared("batch/v1:jobs", job(spec))(stage);
      await hasCondition(path, "Complete")(stage);
      await show(stage, path, counts);
      await showAll(stage, "pods", [...podFields, "spec.hostname", "spec.containers"]);
      await stage.kubectl("get jobs");
      await stage.kubectl("describe job work --show-events=false");
    }),
    conforms("an index may fail alone", async (stage) => {
      const spec = { completionMode: "Indexed", completions: 2, parallelism: 2, backoffLimitPerIndex: 0 };
      await prepared("batch/v1:jobs", job(spec, failing))(stage);
      await hasCondition(path, "Failed")(stage);
      await show(stage, path, counts);
      await showConditions(stage, path);
    }),
    conforms("a Job waits while it is suspended", async (stage) => {
      await prepared("batch/v1:jobs", job({ suspend: true }, endless))(stage);
      await hasCondition(path, "Suspended")(stage);
      await show(stage, path, [...counts, "status.startTime"]);
      await showConditions(stage, path);
      await countIs("pods", 0)(stage);
      await stage.kubectl('patch job work --type=merge -p {"spec":{"suspend":false}}');
      await hasField(path, "status.ready", 1)(stage);
      await showConditions(stage, path);
      await stage.kubectl('patch job work --type=merge -p {"spec":{"suspend":true}}');
      await countIs("pods", 0)(stage);
      await hasCondition(path, "Suspended")(stage);
      await showEvents(stage, "Job", 4);
    }),
    conforms("a Job that is done goes after its time", async (stage) => {
      await prepared("batch/v1:jobs", job({ ttlSecondsAfterFinished: 1 }))(stage);
      await isGone(path)(stage);
      await countIs("pods", 0)(stage);
      await stage.kubectl("get jobs,pods");
    }),
    conforms("a Job that takes too long fails", async (stage) => {
      await prepared("batch/v1:jobs", job({ activeDeadlineSeconds: 2 }, endless))(stage);
      await hasCondition(path, "Failed")(stage);
      await show(stage, path, counts);
      await showConditions(stage, path);
      await countIs("pods", 0)(stage);
      await showEvents(stage, "Job", 3);
    }),
    conforms("an evicted pod is no failure where the pod failure policy ignores it", async (stage) => {
      const rules = [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }];
      await prepared("batch/v1:jobs", job({ backoffLimit: 0, podFailurePolicy: { rules } }, endless))(stage);
      await hasField(path, "status.ready", 1)(stage);
      const name = await onlyPod(stage);
      const eviction = manifest("policy/v1", "Eviction", name);
      await stage.create(stage.path(`pods/${name}/eviction`), eviction);
      await isGone(`pods/${name}`)(stage);
      await hasField(path, "status.terminating", 0)(stage);
      await show(stage, path, ["status.failed", "status.conditions"]);
    }),
    conforms("a Job holds a pod that it takes over", async (stage) => {
      const labels = { app: "stray" };
      const { spec } = job({}, endless);
      const template = { metadata: { labels, annotations: endless }, spec: field(spec, "template.spec") };
      await prepared("pods", manifest("v1", "Pod", "stray", template))(stage);
      const selector = { matchLabels: labels };
      const own = { manualSelector: true, selector, template };
      await prepared("batch/v1:jobs", manifest("batch/v1", "Job", "work", { spec: own }))(stage);
      await hasField(path, "status.ready", 1)(stage);
      await showAll(stage, "pods", ["metadata.name", "metadata.finalizers", "metadata.ownerReferences"]);
    }),
    conforms("a Job's template does not change", async (stage) => {
      await prepared("batch/v1:jobs", job({ suspend: true }))(stage);
      await stage.kubectl("set image job/work main=job:2");
      await stage.kubectl('patch job work --type=merge -p {"spec":{"completions":5}}');
      await stage.kubectl('patch job work --type=merge -p {"spec":{"parallelism":3}}');
    }),
    conforms("containers that restart in place count as one pod", async (stage) => {
      await prepared(
        "batch/v1:jobs",
        job({ backoffLimit: 0 }, failing, { restartPolicy: "OnFailure" }),
      )(stage);
      await hasCondition(path, "Failed")(stage);
      await show(stage, path, ["status.failed", "status.succeeded"]);
      await showConditions(stage, path);
    }),
  ],
};
