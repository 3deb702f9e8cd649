import { type CaseGroup, conforms } from "../../conformance-case.ts";
import { field, type Stage } from "../../stage.ts";
import {
  countIs,
  hasCondition,
  hasField,
  itemsOf,
  observed,
  podsAre,
  prepared,
  rolledOut,
} from "../kubectl/settling.ts";
import type { Fields } from "../manifests.ts";
import { podTemplateOf, show, showAll, showConditions, showEvents, workloadOf } from "./pods-of.ts";

const path = "apps/v1:deployments/web";
const image = (name: string): Fields => ({
  spec: { template: { spec: { containers: [{ name: "main", image: name }] } } },
});
const deployment = (spec: Fields = {}): Fields => workloadOf("Deployment", "web", { replicas: 2, ...spec });

async function settled(stage: Stage, spec: Fields = {}, replicas = 2): Promise<void> {
  await prepared("apps/v1:deployments", deployment(spec))(stage);
  await rolledOut("web", replicas)(stage);
}

async function change(stage: Stage, patch: unknown): Promise<void> {
  await stage.quietly({
    method: "PATCH",
    path: stage.path(path),
    headers: { "content-type": "application/strategic-merge-patch+json" },
    body: JSON.stringify(patch),
  });
}

/** The uid of the one ReplicaSet that there is. */
async function onlyReplicaSet(stage: Stage): Promise<unknown> {
  const list = await stage.until(
    stage.path("apps/v1:replicasets"),
    (response) => itemsOf(response).length === 1,
  );
  return field(itemsOf(list)[0], "metadata.uid");
}

/** What the controller made: the objects whole, and the history. */
async function showOutcome(stage: Stage): Promise<void> {
  await stage.until(stage.path(path), (object) => !field(object, "status.terminatingReplicas"));
  await stage.until(stage.path("apps/v1:replicasets"), (list) =>
    itemsOf(list).every((one) => !field(one, "status.terminatingReplicas")),
  );
  await show(stage, path, [
    "metadata.generation",
    "metadata.annotations",
    "status.observedGeneration",
    "status.replicas",
    "status.updatedReplicas",
    "status.readyReplicas",
    "status.availableReplicas",
    "status.unavailableReplicas",
    "status.terminatingReplicas",
  ]);
  await showConditions(stage, path);
  await showAll(stage, "apps/v1:replicasets", [
    "metadata.annotations",
    "metadata.labels",
    "metadata.ownerReferences",
    "spec",
    "status",
  ]);
}

export const deploymentCases: CaseGroup = {
  title: "Deployments",
  cases: [
    conforms("a Deployment counts on from the revision of a ReplicaSet that it adopts", async (stage) => {
      const revisions = { orphan: "9007199254740993", larger: "9223372036854775808", older: "7" };
      for (const [name, revision] of Object.entries(revisions)) {
        const set = workloadOf("ReplicaSet", name, { replicas: 0 });
        const annotations = { "deployment.kubernetes.io/revision": revision };
        await stage.prepare(stage.path("apps/v1:replicasets"), {
          ...set,
          metadata: { ...Object(set.metadata), labels: { app: "web" }, annotations },
        });
      }
      await stage.prepare(stage.path("apps/v1:deployments"), deployment({ replicas: 0 }));
      await stage.until(stage.path(path), (object) => field(object, "status.observedGeneration") === 1);
      await show(stage, path, ["metadata.annotations"]);
    }),

    conforms("a Deployment becomes available", async (stage) => {
      await settled(stage);
      await showOutcome(stage);
      await showAll(stage, "pods", [
        "metadata.labels",
        "metadata.generateName",
        "spec.restartPolicy",
        "status.phase",
      ]);
      await showEvents(stage, "Deployment", 1);
      await showEvents(stage, "ReplicaSet", 2);
    }),
    conforms("a new image rolls", async (stage) => {
      await settled(stage);
      await change(stage, image("web:2"));
      await rolledOut("web", 2)(stage);
      await showOutcome(stage);
      await showAll(stage, "pods", ["spec.containers", "metadata.generateName"]);
    }),
    conforms("a rollout stays within maxSurge and maxUnavailable", async (stage) => {
      const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
      await settled(stage, { replicas: 3, strategy }, 3);
      await change(stage, image("web:2"));
      await rolledOut("web", 3)(stage);
      await showEvents(stage, "Deployment", 7);
      await showConditions(stage, path);
    }),
    conforms("a rollout that is stuck keeps the old pods", async (stage) => {
      const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } };
      await settled(stage, { replicas: 4, strategy }, 4);
      await change(stage, {
        spec: { template: { metadata: { annotations: { "hollow.keelson.dev/ready": "false" } } } },
      });
      await hasField(path, "status.updatedReplicas", 2)(stage);
      await podsAre(5)(stage);
      // The deleted pod is counted for a while after its deletion.
      await hasField(path, "status.replicas", 5)(stage);
      await showOutcome(stage);
    }),
    conforms("Recreate ends the old before it makes the new", async (stage) => {
      await settled(stage, { strategy: { type: "Recreate" } });
      await change(stage, image("web:2"));
      await rolledOut("web", 2)(stage);
      await showEvents(stage, "Deployment", 3);
      await showOutcome(stage);
    }),
    conforms("a paused Deployment scales but does not roll", async (stage) => {
      await settled(stage, { replicas: 1 }, 1);
      await change(stage, { spec: { paused: true } });
      await hasCondition(path, "Progressing", "Unknown")(stage);
      await change(stage, { spec: { replicas: 2 } });
      await rolledOut("web", 2)(stage);
      await change(stage, image("web:2"));
      await observed(path)(stage);
      await hasField(path, "status.updatedReplicas", undefined)(stage);
      await showOutcome(stage);
    }),
    conforms("a Deployment that is made paused makes nothing", async (stage) => {
      await prepared("apps/v1:deployments", deployment({ paused: true }))(stage);
      await hasCondition(path, "Progressing", "Unknown")(stage);
      await hasCondition(path, "Available", "False")(stage);
      await showOutcome(stage);
    }),
    conforms("a Deployment that was paused in the middle goes on when it is resumed", async (stage) => {
      await settled(stage);
      await change(stage, { spec: { paused: true } });
      await hasCondition(path, "Progressing", "Unknown")(stage);
      await showConditions(stage, path);
      await change(stage, image("web:2"));
      await observed(path)(stage);
      await change(stage, { spec: { paused: false } });
      await rolledOut("web", 2)(stage);
      await showConditions(stage, path);
    }),
    conforms("going back makes the old ReplicaSet the newest revision", async (stage) => {
      await settled(stage, { replicas: 1 }, 1);
      await change(stage, image("web:2"));
      await rolledOut("web", 1)(stage);
      await change(stage, image("web:1"));
      await rolledOut("web", 1)(stage);
      await showOutcome(stage);
    }),
    conforms("old ReplicaSets go beyond the limit of history", async (stage) => {
      await settled(stage, { replicas: 1, revisionHistoryLimit: 1 }, 1);
      for (const name of ["web:2", "web:3", "web:4"]) {
        await change(stage, image(name));
        await rolledOut("web", 1)(stage);
      }
      await countIs("apps/v1:replicasets", 2)(stage);
      await showAll(stage, "apps/v1:replicasets", ["metadata.annotations", "spec.replicas"]);
    }),
    conforms("a rollout that makes no progress reports it after its deadline", async (stage) => {
      const template = podTemplateOf("web", { annotations: { "hollow.keelson.dev/pull": "fail" } });
      await stage.prepare(
        stage.path("apps/v1:deployments"),
        deployment({ replicas: 1, progressDeadlineSeconds: 2, template }),
      );
      await hasCondition(path, "Progressing", "False")(stage);
      await showOutcome(stage);
      await stage.kubectl("rollout status deployment/web");
    }),
    conforms("a Deployment is scaled up and down", async (stage) => {
      await settled(stage, { replicas: 1 }, 1);
      await change(stage, { spec: { replicas: 3 } });
      await rolledOut("web", 3)(stage);
      await change(stage, { spec: { replicas: 2 } });
      await rolledOut("web", 2)(stage);
      await showOutcome(stage);
      await showEvents(stage, "Deployment", 3);
    }),
    conforms("pods that must be ready for a while are not available before", async (stage) => {
      await stage.prepare(
        stage.path("apps/v1:deployments"),
        deployment({ replicas: 1, minReadySeconds: 500 }),
      );
      await hasField(path, "status.readyReplicas", 1)(stage);
      await showOutcome(stage);
    }),
    conforms("a Deployment takes over a ReplicaSet that fits", async (stage) => {
      await settled(stage, { replicas: 1 }, 1);
      const before = await onlyReplicaSet(stage);
      await stage.kubectl("delete deployment web --cascade=orphan");
      await stage.prepare(stage.path("apps/v1:deployments"), deployment({ replicas: 1 }));
      await rolledOut("web", 1)(stage);
      stage.record("is the same ReplicaSet", before === (await onlyReplicaSet(stage)));
      await showOutcome(stage);
    }),
  ],
};
