import {
  type ContractScenario,
  describeWrite,
  normalized,
  operatorContract,
  type ScenarioWorld,
  startWorld,
  type World,
} from "@keelson/testkit";
import type { KubeObject, Resource } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "keelson/kinds/autoscaling/v2";
import { Service } from "keelson/kinds/core/v1";
import { Ingress } from "keelson/kinds/networking/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebApp } from "../../src/api/web-app.ts";
import { webapp } from "../../src/operator.ts";
import { manifestOf } from "../support/space.ts";
import { specEdits } from "../support/spec-edits.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());

const withIngress = { image: "web:1", replicas: 2, ingress: { host: "web.example.com" } };
const autoscaled = {
  image: "web:2",
  replicas: 3,
  resources: { requests: { cpu: "100m" } },
  autoscaling: { minReplicas: 2, maxReplicas: 5 },
};
const plain = { image: "web:2", replicas: 2 };

async function apply({ cluster, namespace }: ScenarioWorld, spec: object): Promise<void> {
  const input = JSON.stringify(manifestOf("web", spec));
  await cluster.kubectl(["-n", namespace, "apply", "-f", "-"], { input });
}

/** Ready for its last spec, with the desired number of Ingresses and autoscalers. */
async function isReadyWith(
  { client, namespace }: ScenarioWorld,
  expected: { readonly ingresses: number; readonly autoscalers: number },
): Promise<boolean> {
  const { metadata, status } = await client.get(WebApp, { namespace, name: "web" });
  const ingresses = (await client.list(Ingress, { namespace })).items.length;
  const autoscalers = (await client.list(HorizontalPodAutoscaler, { namespace })).items.length;
  const isClean = ingresses === expected.ingresses && autoscalers === expected.autoscalers;
  return isClean && status?.phase === "Ready" && status.observedGeneration === metadata.generation;
}

async function outcome({ client, namespace }: ScenarioWorld): Promise<unknown> {
  const all = async (resource: Resource): Promise<readonly KubeObject[]> =>
    (await client.list(resource, { namespace })).items;
  const kinds = [WebApp, Deployment, Service, HorizontalPodAutoscaler];
  const objects = (await Promise.all(kinds.map(all))).flat();
  // The statuses of autoscalers and of the rollout depend on the time of their controllers.
  return normalized(
    objects.map((object) => {
      const { managedFields: _, generation: __, ...metadata } = object.metadata;
      return { ...object, ...(object.kind !== "WebApp" && { status: {} }), metadata };
    }),
  );
}

const scenarios: Readonly<Record<string, ContractScenario>> = {
  "an Ingress gives way to an autoscaler": {
    prepare: (scenario) => apply(scenario, withIngress),
    act: (scenario) => apply(scenario, autoscaled),
    isSettled: (scenario, stage) =>
      isReadyWith(
        scenario,
        stage === "prepared" ? { ingresses: 1, autoscalers: 0 } : { ingresses: 0, autoscalers: 1 },
      ),
    outcome,
    eventReasons: ["Created", "Ready", "Removed", "Updated"],
    checkReport: ({ writes, crashes }) => {
      const sorts = new Set(writes.map((write) => describeWrite(write).split(" ").slice(0, 2).join(" ")));
      expect([...sorts].sort()).toEqual([
        "apply deployments.apps",
        "apply horizontalpodautoscalers.autoscaling",
        "apply ingresses.networking.k8s.io",
        "apply services",
        "delete ingresses.networking.k8s.io",
        "patch webapps.example.com/status",
      ]);
      expect(crashes.length).toBeGreaterThanOrEqual(10);
    },
  },
  "an autoscaler is removed": {
    prepare: (scenario) => apply(scenario, autoscaled),
    act: (scenario) => apply(scenario, plain),
    isSettled: (scenario, stage) =>
      isReadyWith(scenario, { ingresses: 0, autoscalers: stage === "prepared" ? 1 : 0 }),
    outcome,
  },
};

describe("the WebApp operator", () => {
  const options = {
    ...{ operator: webapp, world: () => world, scenarios, failingWrites: "deployments" },
    specEdits: { "a WebApp": specEdits },
  };
  for (const { title, timeoutMs, check } of operatorContract(options))
    it(title, { timeout: timeoutMs }, check);
});
