import { mergePatch, type Operator } from "keelson";
import { ConfigMap } from "keelson/kinds/core/v1";
import { isRecord } from "keelson/low-level";
import { installCrds } from "keelson/object";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ContractError,
  type ContractScenario,
  normalized,
  operatorContract,
  startWorld,
  type World,
} from "../../src/index.ts";
import { Phrase, wordy } from "../support/configured-operator.ts";
import { Greeting, greeter } from "../support/greeter.ts";
import { hiding, restless, undeclared } from "../support/wrong-operators.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());

const name = "a";
const greeting: ContractScenario = {
  prepare: async ({ client, namespace }) => {
    await client.create(Greeting, { metadata: { name, namespace }, spec: { whom: "world" } });
  },
  isSettled: async ({ client, namespace }) =>
    (await client.get(Greeting, { namespace, name })).status?.phase === "Ready",
  outcome: async ({ client, namespace }) => normalized((await client.list(ConfigMap, { namespace })).items),
};
const changed: ContractScenario = {
  ...greeting,
  act: async ({ client, namespace }) => {
    await client.patch(Greeting, { namespace, name }, mergePatch({ spec: { whom: "you" } }));
  },
};

const casesOf = (operator: Operator, settleTimeoutMs = 60_000) =>
  operatorContract({
    ...{ operator, world: () => world, scenarios: { "a greeting": greeting, "a change": changed } },
    ...{ failingWrites: "configmaps", settleTimeoutMs },
  });

describe("an operator that keeps the contract", () => {
  for (const { title, timeoutMs, check } of casesOf(greeter)) it(title, { timeout: timeoutMs }, check);
});

describe("an operator with settings, and with a kind that is in no namespace", () => {
  const key = { name: "kind" };
  const greets: ContractScenario = {
    ...greeting,
    isSettled: async ({ client, namespace }) =>
      (await client.get(Greeting, { namespace, name })).status?.greeted === "dear world",
  };
  const cases = operatorContract({
    ...{ operator: wordy, world: () => world, scenarios: { "a greeting": greets } },
    failingWrites: "configmaps",
    operatorOptions: () => ({ settings: { phrase: key.name } }),
    specEdits: {
      "a greeting": {
        resource: Greeting,
        owned: [ConfigMap],
        specs: { world: { whom: "world" }, you: { whom: "you", words: "hi" } },
        prepare: ({ client }, { namespace }) =>
          client.create(ConfigMap, { metadata: { namespace, name: "other" } }),
        isSettled: ({ spec, status }) =>
          isRecord(spec) && isRecord(status) && status.greeted === `dear ${spec.whom}`,
      },
    },
  });

  beforeAll(async () => {
    await installCrds(world.client, [Phrase]);
    await world.client.create(Phrase, { metadata: key, spec: { text: "dear" } });
  });

  for (const { title, timeoutMs, check } of cases) it(title, { timeout: timeoutMs }, check);

  it("keeps what is in no namespace", async () => {
    expect(await world.client.get(Phrase, key)).toMatchObject({ spec: { text: "dear" } });
  });
});

describe("an operator that breaks the contract", { timeout: 120_000 }, () => {
  const check = async (operator: Operator, title: RegExp): Promise<unknown> => {
    const broken = casesOf(operator, 5_000).find((each) => title.test(each.title));
    return broken?.check().then(
      () => "kept",
      (error: unknown) => error,
    );
  };

  it("by writes in a settled world fails with these writes", async () => {
    const error = await check(restless, /^writes nothing/);
    expect(error).toBeInstanceOf(ContractError);
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^check the contract of operator restless: a second reconcile of a settled world wrote\n/,
      ),
      details: expect.arrayContaining([
        expect.stringMatching(/^patch greetings\.testkit\.keelson\.dev\/status /),
      ]),
    });
  });

  it("by an error that hides the first one fails with what is reported", async () => {
    expect(await check(hiding, /^reports the first error/)).toMatchObject({
      message: expect.stringContaining("a failed write of configmaps is not the error that is reported"),
    });
  });

  it("by an undeclared use fails with the line to add", async () => {
    expect(await check(undeclared, /^needs no permission/)).toMatchObject({
      message: expect.stringContaining(
        "the API server refuses requests that it does not declare; add to its uses",
      ),
      details: expect.arrayContaining(['{ verb: "patch", group: "", resource: "secrets" },']),
    });
  });
});
