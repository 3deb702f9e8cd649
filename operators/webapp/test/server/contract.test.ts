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
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebApp } from "../../src/api/web-app.ts";
import { webapp } from "../../src/operator.ts";
import { type Seen, seeReplicas } from "../support/seen.ts";
import { manifestOf } from "../support/space.ts";
import { specEdits } from "../support/spec-edits.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());

const withIngress = { image: "web:1", replicas: 3, ingress: { host: "web.example.com" } };
const autoscaled = {
  image: "web:2",
  replicas: 4,
  resources: { requests: { cpu: "100m" } },
  autoscaling: { minReplicas: 2, maxReplicas: 5 },
};
const plain = { image: "web:3", replicas: 3, ingress: { host: "new.example.com" } };

/** The numbers of pods that the Deployment of each scenario has had, by namespace. */
const replicas = new Map<string, Seen<Deployment, number>>();
afterEach(async () => {
  for (const seen of replicas.values()) await seen[Symbol.asyncDispose]();
  replicas.clear();
});

/** Applies a first spec, and observes the number of pods from then on. */
async function prepare(scenario: ScenarioWorld, spec: object): Promise<void> {
  const { namespace } = scenario;
  replicas.set(namespace, await seeReplicas(world.client, namespace, "web"));
  await apply(scenario, spec);
}

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
  const kinds = [WebApp, Deployment, Service, Ingress, HorizontalPodAutoscaler];
  const objects = (await Promise.all(kinds.map(all))).flat();
  // The statuses of autoscalers and of the rollout depend on the time of their controllers.
  return {
    objects: normalized(
      objects.map((object) => {
        const { managedFields: _, generation: __, ...metadata } = object.metadata;
        return { ...object, ...(object.kind !== "WebApp" && { status: {} }), metadata };
      }),
    ),
    replicas: replicas.get(namespace)?.values,
  };
}

const deploymentOf = (image: string) => ({
  kind: "Deployment",
  spec: { replicas: 3, template: { spec: { containers: [{ image }] } } },
});
const ready = { kind: "WebApp", status: { phase: "Ready", availableReplicas: 3 } };

const scenarios: Readonly<Record<string, ContractScenario>> = {
  "an Ingress gives way to an autoscaler": {
    prepare: (scenario) => prepare(scenario, withIngress),
    act: (scenario) => apply(scenario, autoscaled),
    isSettled: (scenario, stage) =>
      isReadyWith(
        scenario,
        stage === "prepared" ? { ingresses: 1, autoscalers: 0 } : { ingresses: 0, autoscalers: 1 },
      ),
    outcome,
    eventReasons: ["Created", "Ready", "Removed", "Updated"],
    checkReport: ({ writes, crashes, outcome: reached }) => {
      // The same after every crash, and what the last spec describes: no step has changed the number of pods.
      const autoscaler = { kind: "HorizontalPodAutoscaler", spec: { minReplicas: 2, maxReplicas: 5 } };
      expect(reached).toMatchObject({
        objects: [deploymentOf("web:2"), autoscaler, ready, { kind: "Service" }],
        replicas: [3],
      });
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
  "an autoscaler gives way to an Ingress": {
    prepare: (scenario) => prepare(scenario, autoscaled),
    act: (scenario) => apply(scenario, plain),
    isSettled: (scenario, stage) =>
      isReadyWith(
        scenario,
        stage === "prepared" ? { ingresses: 0, autoscalers: 1 } : { ingresses: 1, autoscalers: 0 },
      ),
    outcome,
    checkReport: ({ outcome: reached }) => {
      const ingress = { kind: "Ingress", spec: { rules: [{ host: "new.example.com" }] } };
      expect(reached).toMatchObject({
        objects: [deploymentOf("web:3"), ready, ingress, { kind: "Service" }],
        replicas: [2, 3],
      });
    },
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
