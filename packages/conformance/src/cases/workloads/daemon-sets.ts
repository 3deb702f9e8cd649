import { type CaseGroup, conforms } from "../../conformance-case.ts";
import { field, type Stage } from "../../stage.ts";
import { countIs, hasField, podsAre, prepared } from "../kubectl/settling.ts";
import type { Fields } from "../manifests.ts";
import { podTemplateOf, show, showAll, showEvents, workloadOf } from "./pods-of.ts";

const path = "apps/v1:daemonsets/agent";
/** Other nodes may come and go with other cases. */
const hollow = { "hollow.keelson.dev/node": "true" };
const daemonSet = (spec: Fields = {}): Fields => workloadOf("DaemonSet", "agent", spec);
const onHollow = (more: Fields = {}): Fields =>
  podTemplateOf("agent", { spec: { nodeSelector: hollow, ...more } });

const available = (count: number) => (stage: Stage) =>
  stage.until(
    stage.path(path),
    (object) =>
      field(object, "status.numberAvailable") === count &&
      field(object, "status.updatedNumberScheduled") === count &&
      field(object, "status.observedGeneration") === field(object, "metadata.generation"),
  );

export const daemonSetCases: CaseGroup = {
  title: "DaemonSets",
  cases: [
    conforms("a DaemonSet has a pod on each node", async (stage) => {
      await prepared("apps/v1:daemonsets", daemonSet({ template: onHollow() }))(stage);
      await available(2)(stage);
      await show(stage, path, ["metadata.generation", "metadata.annotations", "status"]);
      await showAll(stage, "pods", [
        "metadata.labels",
        "metadata.generateName",
        "metadata.ownerReferences",
        "spec.tolerations",
        "spec.nodeName",
      ]);
      await showAll(stage, "apps/v1:controllerrevisions", ["metadata.labels", "revision", "data"]);
      await showEvents(stage, "DaemonSet", 2);
      await stage.kubectl("get daemonsets");
      await stage.kubectl("get daemonsets -o wide");
      await stage.kubectl("describe daemonset agent --show-events=false");
      await stage.kubectl("rollout status daemonset/agent");
    }),
    ...(["DaemonSet", "StatefulSet"] as const).map((kind) =>
      conforms(`the revision of a ${kind} has the bytes that Go compares`, async (stage) => {
        const template = podTemplateOf("agent", {
          spec: {
            nodeSelector: { none: "here", a: "b" },
            containers: [
              {
                name: "main",
                image: "agent:1",
                env: [{ name: "Z", value: "<z> & 1" }, { name: "A" }],
                ports: [{ protocol: "TCP", containerPort: 80 }],
              },
            ],
          },
        });
        const plural = `${kind.toLowerCase()}s`;
        await prepared(`apps/v1:${plural}`, workloadOf(kind, "agent", { template }))(stage);
        await countIs("apps/v1:controllerrevisions", 1)(stage);
        const { text } = await stage.look({ method: "GET", path: stage.path("apps/v1:controllerrevisions") });
        // The text itself: parsing it would lose what is compared.
        stage.record("data", /"data":(.*),"revision":/.exec(text)?.[1]);
      }),
    ),
    conforms("a DaemonSet that no node fits has no pods", async (stage) => {
      const template = podTemplateOf("agent", { spec: { nodeSelector: { none: "here" } } });
      await prepared("apps/v1:daemonsets", daemonSet({ template }))(stage);
      await hasField(path, "status.observedGeneration", 1)(stage);
      await show(stage, path, ["status"]);
      await countIs("pods", 0)(stage);
    }),
    conforms("a DaemonSet runs only on the node that it selects", async (stage) => {
      const nodeSelector = { "kubernetes.io/hostname": "hollow-1" };
      await prepared(
        "apps/v1:daemonsets",
        daemonSet({ template: podTemplateOf("agent", { spec: { nodeSelector } }) }),
      )(stage);
      await available(1)(stage);
      await podsAre(1)(stage);
      await show(stage, path, ["status"]);
    }),
    conforms("a new image of a DaemonSet rolls", async (stage) => {
      await prepared("apps/v1:daemonsets", daemonSet({ template: onHollow() }))(stage);
      await available(2)(stage);
      await stage.kubectl("set image daemonset/agent main=web:2");
      await available(2)(stage);
      await podsAre(2)(stage);
      await show(stage, path, ["metadata.generation", "metadata.annotations", "status"]);
      await showAll(stage, "pods", ["spec.containers"]);
      await stage.kubectl("rollout history daemonset/agent");
      await stage.kubectl("rollout undo daemonset/agent");
      await available(2)(stage);
      await stage.kubectl("rollout history daemonset/agent");
    }),
    conforms("pods of a DaemonSet that are replaced on deletion alone stay", async (stage) => {
      await prepared(
        "apps/v1:daemonsets",
        daemonSet({ template: onHollow(), updateStrategy: { type: "OnDelete" } }),
      )(stage);
      await available(2)(stage);
      await stage.kubectl("set image daemonset/agent main=web:2");
      await hasField(path, "status.observedGeneration", 2)(stage);
      await show(stage, path, ["status.numberAvailable", "status.updatedNumberScheduled"]);
    }),
  ],
};
