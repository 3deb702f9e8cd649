import { type CaseGroup, conforms } from "../../conformance-case.ts";
import type { Stage } from "../../stage.ts";
import { field } from "../../stage.ts";
import { countIs, hasField, itemsOf, podsAre, prepared } from "../kubectl/settling.ts";
import { type Fields, manifest } from "../manifests.ts";
import { podTemplateOf, show, showAll, showEvents, workloadOf } from "./pods-of.ts";

const path = "apps/v1:statefulsets/db";
const statefulSet = (spec: Fields = {}): Fields =>
  workloadOf("StatefulSet", "db", { serviceName: "db", replicas: 2, ...spec });
const podFields = [
  "metadata.name",
  "metadata.labels",
  "metadata.ownerReferences",
  "spec.hostname",
  "spec.subdomain",
  "spec.volumes",
];

async function settled(stage: Stage, spec: Fields = {}, replicas = 2): Promise<void> {
  await prepared("apps/v1:statefulsets", statefulSet(spec))(stage);
  await available(replicas)(stage);
}

const available = (count: number) => (stage: Stage) =>
  stage.until(
    stage.path(path),
    (object) =>
      field(object, "status.availableReplicas") === count &&
      field(object, "status.replicas") === count &&
      field(object, "status.observedGeneration") === field(object, "metadata.generation"),
  );

async function setImage(stage: Stage, image: string): Promise<void> {
  await stage.kubectl(`set image statefulset/db main=${image}`);
}

async function uidsOf(stage: Stage): Promise<readonly unknown[]> {
  const list = await stage.until(stage.path("pods"), (response) => itemsOf(response).length > 0);
  return itemsOf(list).map((pod) => field(pod, "metadata.uid"));
}

/** The pods with their images, by name. */
async function showImages(stage: Stage): Promise<void> {
  await stage.kubectl([
    "get",
    "pods",
    "-o",
    "jsonpath={range .items[*]}{.metadata.name} {.spec.containers[0].image}{'\\n'}{end}",
  ]);
}

const rolled = (updated: number) => async (stage: Stage) => {
  await stage.until(
    stage.path(path),
    (object) =>
      field(object, "status.updatedReplicas") === updated &&
      field(object, "status.observedGeneration") === field(object, "metadata.generation"),
  );
  await available(2)(stage);
};

export const statefulSetCases: CaseGroup = {
  title: "StatefulSets",
  cases: [
    conforms("a StatefulSet makes its pods in order", async (stage) => {
      await settled(stage);
      await show(stage, path, ["metadata.generation", "status"]);
      await showAll(stage, "pods", podFields);
      await showAll(stage, "apps/v1:controllerrevisions", [
        "metadata.labels",
        "metadata.ownerReferences",
        "revision",
        "data",
      ]);
      await showEvents(stage, "StatefulSet", 2);
    }),
    conforms("a pod that is not ready keeps the next from being made", async (stage) => {
      const template = podTemplateOf("db", { annotations: { "hollow.keelson.dev/ready": "false" } });
      await prepared("apps/v1:statefulsets", statefulSet({ template }))(stage);
      await hasField("pods/db-0", "status.phase", "Running")(stage);
      await hasField(path, "status.replicas", 1)(stage);
      await show(stage, path, ["status"]);
      await countIs("pods", 1)(stage);
    }),
    conforms("pods in parallel do not wait for each other", async (stage) => {
      const template = podTemplateOf("db", { annotations: { "hollow.keelson.dev/ready": "false" } });
      await prepared(
        "apps/v1:statefulsets",
        statefulSet({ template, podManagementPolicy: "Parallel" }),
      )(stage);
      await hasField(path, "status.replicas", 2)(stage);
      await podsAre(2)(stage);
      await show(stage, path, ["status"]);
    }),
    conforms("a StatefulSet is scaled up and down from its end", async (stage) => {
      await settled(stage);
      await stage.kubectl("scale statefulset db --replicas=3");
      await available(3)(stage);
      await stage.kubectl("scale statefulset db --replicas=1");
      await podsAre(1)(stage);
      await available(1)(stage);
      await show(stage, path, ["status"]);
      await showImages(stage);
      await showEvents(stage, "StatefulSet", 5);
    }),
    conforms("a new image rolls from the end", async (stage) => {
      await settled(stage);
      await setImage(stage, "web:2");
      await rolled(2)(stage);
      await stage.until(
        stage.path(path),
        (object) => field(object, "status.currentRevision") === field(object, "status.updateRevision"),
      );
      await show(stage, path, ["status"]);
      await showImages(stage);
      await showAll(stage, "apps/v1:controllerrevisions", ["revision"]);
    }),
    conforms("a partition keeps the first pods as they are", async (stage) => {
      await settled(stage, { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } });
      await setImage(stage, "web:2");
      await rolled(1)(stage);
      await show(stage, path, ["status"]);
      await showImages(stage);
    }),
    conforms("pods that are replaced on deletion alone stay", async (stage) => {
      await settled(stage, { updateStrategy: { type: "OnDelete" } });
      await setImage(stage, "web:2");
      await hasField(path, "status.observedGeneration", 2)(stage);
      await showImages(stage);
      await stage.kubectl("delete pod db-0");
      await rolled(1)(stage);
      await showImages(stage);
    }),
    conforms("a pod that is deleted comes back with its name", async (stage) => {
      await settled(stage);
      const before = await stage.until(
        stage.path("pods/db-0"),
        (pod) => field(pod, "metadata.uid") !== undefined,
      );
      await stage.kubectl("delete pod db-0");
      await available(2)(stage);
      const after = await stage.until(
        stage.path("pods/db-0"),
        (pod) => field(pod, "metadata.uid") !== undefined,
      );
      stage.record("is another pod", field(before, "metadata.uid") !== field(after, "metadata.uid"));
    }),
    conforms("a StatefulSet takes over the pods and the history of its predecessor", async (stage) => {
      await settled(stage);
      const before = await uidsOf(stage);
      await stage.kubectl("delete statefulset db --cascade=orphan");
      await settled(stage);
      stage.record("are the same pods", (await uidsOf(stage)).join() === before.join());
      await show(stage, path, ["status"]);
      await showAll(stage, "apps/v1:controllerrevisions", ["metadata.ownerReferences", "revision"]);
      await showEvents(stage, "StatefulSet", 2);
    }),
    conforms("how many pods may be unavailable at once is not kept", async (stage) => {
      const rollingUpdate = { partition: 1, maxUnavailable: 2 };
      await settled(stage, { updateStrategy: { type: "RollingUpdate", rollingUpdate } });
      await show(stage, path, ["spec.updateStrategy"]);
    }),
    conforms("ordinals may start elsewhere", async (stage) => {
      await settled(stage, { ordinals: { start: 5 }, replicas: 1 }, 1);
      await showImages(stage);
    }),
    conforms("a claim is made for each pod and stays", async (stage) => {
      const claim = manifest("v1", "PersistentVolumeClaim", "data", {
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      });
      await prepared(
        "apps/v1:statefulsets",
        statefulSet({ replicas: 1, volumeClaimTemplates: [claim] }),
      )(stage);
      await countIs("persistentvolumeclaims", 1)(stage);
      await countIs("pods", 1)(stage);
      await show(stage, "persistentvolumeclaims/data-db-0", [
        "metadata.labels",
        "metadata.ownerReferences",
        "spec",
      ]);
      await show(stage, "pods/db-0", ["spec.volumes"]);
      const pods = await stage.until(stage.path("pods"), (list) => itemsOf(list).length === 1);
      stage.record("pods", itemsOf(pods).length);
    }),
  ],
};
