import {
  type ContractScenario,
  normalized,
  operatorContract,
  type ScenarioWorld,
  startWorld,
  type World,
} from "@keelson/testkit";
import type { KubeObject, Resource } from "keelson";
import { Deployment, ReplicaSet } from "keelson/kinds/apps/v1";
import { Pod, Secret, ServiceAccount } from "keelson/kinds/core/v1";
import { Role, RoleBinding } from "keelson/kinds/rbac/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { restartedAtAnnotation, secretLabel } from "../../src/api/names.ts";
import { SecretAccess } from "../../src/api/secret-access.ts";
import { SharedSecret } from "../../src/api/shared-secret.ts";
import { sharedSecret } from "../../src/operator.ts";
import { SharedSecretSpace } from "../support/space.ts";
import { specEdits } from "../support/spec-edits.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL, { nodes: 2 });
});
afterAll(() => world?.stop());

const spaceOf = ({ namespace }: ScenarioWorld): SharedSecretSpace => new SharedSecretSpace(world, namespace);

/** A shared secret with a Deployment and the pods of a ReplicaSet as its read-only consumers. */
async function share(scenario: ScenarioWorld): Promise<void> {
  const space = spaceOf(scenario);
  const { namespace } = space;
  await space.allowShare("db");
  await space.createSecret("db");
  const labels = { app: "loose" };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: "app", image: "app" }], terminationGracePeriodSeconds: 0 },
  };
  await world.client.create(ReplicaSet, {
    metadata: { namespace, name: "loose" },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  });
  await space.createDeployment("web", { replicas: 2 });
  await space.allowDeployment("db", "web");
  await space.allow("db", { selector: { matchLabels: labels } });
}

async function isShared(scenario: ScenarioWorld, stage: "prepared" | "acted"): Promise<boolean> {
  const space = spaceOf(scenario);
  const { consumers = [], podsRestartRequired, restart, lastRestart } = await space.status("db");
  const isIdle = podsRestartRequired === false && restart === undefined;
  const hasRestarted = stage === "prepared" || lastRestart !== undefined;
  return consumers.length === 2 && isIdle && hasRestarted && (await space.readyPods()).length === 3;
}

/** Without times, random parts, and how many pods the server has had. */
async function outcome({ client, namespace }: ScenarioWorld): Promise<unknown> {
  const all = async (resource: Resource): Promise<readonly KubeObject[]> =>
    (await client.list(resource, { namespace })).items;
  const { items } = await client.list(SharedSecret, { namespace });
  const secrets = (await client.list(Secret, { namespace, labelSelector: secretLabel })).items;
  const pods = (await client.list(Pod, { namespace })).items;
  const granted = [Role, RoleBinding].map(all);
  return {
    statuses: items.map(({ status, podsRestartRequired }) => ({
      flags: [podsRestartRequired, status?.podsRestartRequired],
      consumers: status?.consumers?.map(({ consumer, permission, problem }) => [
        consumer.replace(namespace, ""),
        permission,
        problem,
      ]),
      conditions: status?.conditions?.map(({ type, status: value, reason }) => [type, value, reason]),
    })),
    secrets: secrets.map(({ metadata, data }) => [metadata.name, data]),
    // One rollout, whatever happened.
    generations: (await all(Deployment)).map(({ metadata }) => metadata.generation),
    restarted: pods.map(({ metadata }) => metadata.annotations?.[restartedAtAnnotation] !== undefined).sort(),
    granted: normalized((await Promise.all(granted)).flat()),
    accounts: (await client.list(ServiceAccount, { namespace, labelSelector: secretLabel })).items.length,
  };
}

const rotator = {
  runsIn: "Sidecar" as const,
  postgres: { host: "db", database: "orders", role: "orders", adminSecret: { name: "admin" } },
};

const scenarios: Readonly<Record<string, ContractScenario>> = {
  "another value restarts the consumers": {
    prepare: share,
    act: async (scenario) => {
      await spaceOf(scenario).writeValue("db", "another");
      await spaceOf(scenario).flag("db");
    },
    isSettled: isShared,
    outcome,
    eventReasons: ["AccessApproved", "RestartStarted", "ConsumerRestarted", "RestartFinished"],
    checkReport: ({ outcome: reached, crashes }) => {
      expect(reached).toMatchObject({ generations: [2], statuses: [{ flags: [false, false] }] });
      expect(crashes.length).toBeGreaterThanOrEqual(8);
    },
  },
  "the sidecar of a read-write consumer gets an account, and loses it": {
    prepare: async (scenario) => {
      const space = spaceOf(scenario);
      await space.allowShare("db", 3600);
      await space.createSecret("db", { rotate: "1h", rotator });
      await space.allowDeployment("db", "writer", "ReadWrite");
    },
    act: async (scenario) => {
      const space = spaceOf(scenario);
      const accesses = await space.list(SecretAccess);
      const write = accesses.find(({ spec }) => spec.permission === "ReadWrite");
      await space.decide(write?.metadata.name ?? "", "Revoked");
    },
    isSettled: async (scenario, stage) => {
      const { consumers = [] } = await spaceOf(scenario).status("db");
      const { client, namespace } = scenario;
      const bindings = (await client.list(RoleBinding, { namespace })).items;
      const count = stage === "prepared" ? 1 : 0;
      return consumers.length === count && bindings.length === count;
    },
    outcome,
    checkReport: ({ outcome: reached }) => expect(reached).toMatchObject({ granted: [], accounts: 0 }),
  },
};

describe("the SharedSecret operator", () => {
  const options = {
    ...{ operator: sharedSecret, world: () => world, scenarios, failingWrites: "secrets" },
    specEdits: { "a SharedSecret": specEdits },
  };
  for (const { title, timeoutMs, check } of operatorContract(options))
    it(title, { timeout: timeoutMs }, check);
});
