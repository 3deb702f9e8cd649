import { mergePatch } from "keelson";
import { ConfigMap, Namespace } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  crashAtEveryWrite,
  describeWrite,
  NotConvergedError,
  normalized,
  type Scenario,
  type ScenarioWorld,
  startWorld,
  type World,
} from "../../src/index.ts";
import { Greeting, greeter, nameOf } from "../support/greeter.ts";
import { careless, counter, forgetful } from "../support/wrong-operators.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());

const name = "a";
const ownConfigMaps = async ({ client, namespace }: ScenarioWorld): Promise<readonly ConfigMap[]> =>
  (await client.list(ConfigMap, { namespace, fieldSelector: "metadata.name!=kube-root-ca.crt" })).items;

const scenario: Scenario = {
  prepare: async ({ client, namespace }) => {
    await client.create(Greeting, { metadata: { name, namespace }, spec: { whom: "world" } });
  },
  isSettled: async ({ client, namespace }) =>
    (await client.get(Greeting, { namespace, name })).status?.phase === "Ready",
  outcome: async (scene) => {
    const { items } = await scene.client.list(Greeting, { namespace: scene.namespace });
    return normalized([...items, ...(await ownConfigMaps(scene))]);
  },
};

/** One more step of the user: the spec names another person to greet. */
const scenarioWithChange: Scenario = {
  ...scenario,
  act: async ({ client, namespace }) => {
    await client.patch(Greeting, { namespace, name }, mergePatch({ spec: { whom: "you" } }));
  },
  isSettled: async ({ client, namespace }, stage) =>
    (await client.get(Greeting, { namespace, name })).status?.greeted ===
    (stage === "acted" ? "you" : "world"),
};

describe("an operator that may be killed at any time", () => {
  it.each(["after", "before"] as const)("gets to the same end if it dies %s any write", async (moment) => {
    const report = await crashAtEveryWrite(greeter, {
      cluster: world.cluster,
      scenario: scenarioWithChange,
      moment,
    });
    const withoutNamespace = report.writes.map(({ namespace: _, ...write }) => describeWrite(write));
    expect(withoutNamespace).toEqual([
      `apply configmaps ${nameOf(name)}`,
      `patch greetings.testkit.keelson.dev/status ${name}`,
      `apply configmaps ${nameOf(name)}`,
      `patch greetings.testkit.keelson.dev/status ${name}`,
    ]);
    expect(report.crashes.map(({ namespace: _, ...write }) => describeWrite(write))).toEqual(
      withoutNamespace,
    );
    expect(new Set(report.crashes.map(({ namespace }) => namespace)).size).toBe(4);
  });

  it("is killed at the writes of the second step alone if the scenario requires it", async () => {
    const report = await crashAtEveryWrite(greeter, {
      cluster: world.cluster,
      scenario: { ...scenarioWithChange, crashFrom: "acted" },
    });
    const resources = [report.writes, report.crashes].map((writes) => writes.map(({ resource }) => resource));
    expect(resources).toEqual(resources.map(() => ["configmaps", "greetings.testkit.keelson.dev"]));
  });

  it("is measured by an outcome that stays", async () => {
    const looks: string[] = [];
    const late: Scenario = {
      ...scenario,
      outcome: async ({ namespace }) => {
        looks.push(namespace);
        return looks[0] === namespace && looks.length < 3 ? "early" : "late";
      },
    };
    const { crashes } = await crashAtEveryWrite(greeter, { cluster: world.cluster, scenario: late });
    expect(crashes).toHaveLength(2);
  });

  it("leaves no namespace behind", async () => {
    await crashAtEveryWrite(greeter, { cluster: world.cluster, scenario });
    await expect
      .poll(async () => (await world.client.list(Namespace)).items.map((each) => each.metadata.name))
      .not.toContainEqual(expect.stringMatching(/^test-/));
  });
});

describe("an operator that may not be killed", () => {
  it("is found out when it makes a second object", async () => {
    const error = await crashAtEveryWrite(forgetful, { cluster: world.cluster, scenario }).catch(
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(NotConvergedError);
    expect(error.point).toMatchObject({
      index: 1,
      total: 2,
      write: { verb: "create", resource: "configmaps" },
    });
    expect(error.message).toMatch(
      /^crash operator forgetful after write 1 of 2 \(create configmaps test-\w+\): the outcome is another one/,
    );
    expect(error.differences).toEqual([expect.stringContaining("nothing was expected")]);
  });

  it("is found out when it counts twice", async () => {
    const counted: Scenario = {
      ...scenario,
      prepare: async (scene) => {
        const { client, namespace } = scene;
        await client.create(ConfigMap, { metadata: { name: nameOf(name), namespace }, data: { count: "7" } });
        await scenario.prepare(scene);
      },
      outcome: async (scene) => (await ownConfigMaps(scene)).map(({ data }) => data),
    };
    const crashing = crashAtEveryWrite(counter, { cluster: world.cluster, scenario: counted });
    await expect(crashing).rejects.toMatchObject({
      point: { index: 1, write: { verb: "patch", resource: "configmaps" } },
      differences: ['0.count: "8" was expected, "9" was found'],
    });
  });

  it("is found out when it never gets there", async () => {
    const crashing = crashAtEveryWrite(careless, { cluster: world.cluster, scenario, settleTimeoutMs: 5000 });
    await expect(crashing).rejects.toThrow(
      /^crash operator careless after write 1 of 2 \(patch greetings\.testkit\.keelson\.dev\/status test-\w+\/a\): wait until/,
    );
  });
});
