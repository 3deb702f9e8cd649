import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type RunningOperator, runOperator, startWorld, type World } from "@keelson/testkit";
import { find, mergePatch, type Operator, usesOf } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { ConfigMap, Secret } from "keelson/kinds/core/v1";
import { Event } from "keelson/kinds/events/v1";
import { operatorUses } from "keelson/manager";
import { rbacRules } from "keelson/schema";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { loadOperators } from "../../src/operators/load-operators.ts";

const root = new URL("../../../../", import.meta.url);

let world: World;
let namespace: string;
beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());
beforeEach(async () => {
  namespace = await world.createNamespace();
});

/** As `keelson run` loads it. */
async function loadExample(file: string): Promise<Operator> {
  const folder = fileURLToPath(new URL("examples", root));
  const [loaded] = await loadOperators([`./${file}`], { bundled: new Map(), folder });
  if (loaded === undefined) throw new Error(`${file} holds an operator`);
  return loaded.operator;
}

/** Runs an example as a user who may do no more than it declares, and record Events. */
async function runExample(file: string): Promise<RunningOperator> {
  const operator = await loadExample(file);
  const rules = rbacRules([...operatorUses(operator), ...usesOf(Event, ["create", "patch"])]);
  const access = await world.cluster.createUser({ user: operator.name, rules });
  return runOperator(operator, { access, adminAccess: world.cluster });
}

/** What kubectl reads of an object. */
function read(kind: string, name: string, jsonPath: string): Promise<string> {
  return world.cluster.kubectl(["get", kind, name, "--namespace", namespace, "-o", `jsonpath={${jsonPath}}`]);
}

async function apply(file: string, change: (text: string) => string = (text) => text): Promise<void> {
  const input = change(await readFile(new URL(`examples/${file}`, root), "utf8"));
  await world.cluster.kubectl(["apply", "--namespace", namespace, "-f", "-"], { input });
}

describe("the operator in 28 lines", () => {
  it("is what the README shows, and no longer than the README states", async () => {
    const text = await readFile(new URL("examples/website.ts", root), "utf8");
    const readme = await readFile(new URL("README.md", root), "utf8");
    expect(readme).toContain(`## An operator in 28 lines\n`);
    expect(readme).toContain(`\`\`\`ts\n${text}\`\`\``);
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(28);
  });

  it("serves the page of each Website, and reports how many pods do so", async () => {
    await using running = await runExample("website.ts");
    await apply("website.yaml");
    const key = { namespace, name: "hello" };
    await expect.poll(() => read("website", "hello", ".status.readyReplicas")).toBe("2");
    const page = await running.client.get(ConfigMap, key);
    expect(page.data).toEqual({ "index.html": "<h1>Hello</h1>" });

    await running.idle();
    running.clearWrites();
    await running.client.patch(ConfigMap, key, mergePatch({ data: { "index.html": "defaced" } }));
    await expect.poll(async () => (await running.client.get(ConfigMap, key)).data).toEqual(page.data);
    await apply("website.yaml", (text) => text.replace("replicas: 2", "replicas: 1"));
    await expect.poll(() => read("website", "hello", ".status.readyReplicas")).toBe("1");
    expect(new Set(running.writes.map(({ verb, resource }) => `${verb} ${resource}`))).toEqual(
      new Set(["apply configmaps", "apply deployments.apps", "patch websites.examples.keelson.dev"]),
    );

    await world.cluster.kubectl(["delete", "website", "hello", "--namespace", namespace]);
    // The real garbage collector looks for new kinds every 30 seconds.
    const patience = { timeout: 60_000 };
    await expect.poll(() => find(running.client, Deployment, key), patience).toBeUndefined();
    await expect.poll(() => find(running.client, ConfigMap, key), patience).toBeUndefined();
  }, 120_000);
});

describe("the operator that watches Secrets", () => {
  it("replaces the pods when the Secret that they use changes, and reports when there is none", async () => {
    await using running = await runExample("worker.ts");
    await apply("worker.yaml", (text) =>
      text.slice(text.indexOf("---")).replace("name: sender", "name: idle").replace("mail", "later"),
    );
    const reasonsOf = async (name: string) => {
      const { items } = await running.client.list(Event, {
        namespace,
        fieldSelector: `regarding.name=${name}`,
      });
      return items.filter(({ regarding }) => regarding?.kind === "Worker").map(({ reason }) => reason);
    };
    await expect.poll(() => reasonsOf("idle")).toEqual(["NoSettings"]);
    await apply("worker.yaml");
    const generation = async () =>
      (await find(running.client, Deployment, { namespace, name: "sender" }))?.metadata.generation;
    await expect.poll(generation).toBe(1);
    await running.client.patch(
      Secret,
      { namespace, name: "mail" },
      mergePatch({ stringData: { MAIL_HOST: "mail2.example.com" } }),
    );
    await expect.poll(generation).toBe(2);
    expect(await find(running.client, Deployment, { namespace, name: "idle" })).toBeUndefined();
    await running.client.create(Secret, { metadata: { namespace, name: "later" } });
    await expect.poll(() => find(running.client, Deployment, { namespace, name: "idle" })).toBeDefined();
  });
});

describe("the operator with a webhook", () => {
  it("refuses new Deployments whose images are not pinned, and labels those that are", async () => {
    const { cluster } = world;
    const create = (name: string, image: string) => [
      ...["create", "deployment", name, "--image", image, "--namespace", namespace],
    ];
    await cluster.kubectl(create("older", "web:latest"));
    await using _ = await runOperator(await loadExample("pinned-images.ts"), {
      access: world.cluster,
      webhooks: true,
    });
    await expect
      .poll(async () => (await cluster.tryKubectl(create("latest", "registry:5000/web"))).stderr)
      .toContain(
        'admission webhook "validate.deployment.v1.apps" denied the request: ' +
          "container web: image registry:5000/web has neither a digest nor a tag but latest",
      );
    await cluster.kubectl(create("pinned", "registry:5000/web:1"));
    const { metadata } = await world.client.get(Deployment, { namespace, name: "pinned" });
    expect(metadata.labels?.["examples.keelson.dev/checked"]).toBe("true");
    const scaled = await cluster.tryKubectl([
      "scale",
      "deployment",
      "older",
      "--replicas=2",
      "-n",
      namespace,
    ]);
    expect(scaled).toMatchObject({ exitCode: 0 });
    const labelled = await cluster.tryKubectl(["label", "deployment", "older", "a=b", "-n", namespace]);
    expect(labelled).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining("Warning: container web: image web:latest"),
    });
  });
});
