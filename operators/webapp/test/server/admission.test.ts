import { type RunningOperator, runOperator, startWorld, type World } from "@keelson/testkit";
import { mergePatch } from "keelson";
import {
  type MutatingWebhook,
  MutatingWebhookConfiguration,
  type ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "keelson/kinds/admissionregistration/v1";
import { CustomResourceDefinition } from "keelson/kinds/apiextensions/v1";
import { Deployment } from "keelson/kinds/apps/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { componentIsImmutable, nameRule, specRules } from "../../src/api/rules.ts";
import { WebApp } from "../../src/api/web-app.ts";
import { webapp } from "../../src/operator.ts";
import { manifestOf, WebAppSpace } from "../support/space.ts";

/** The garbage collector learns of a new kind after a while. */
const patient = { timeout: 120_000 };

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());

const [reference, pinned, bounds, order] = specRules.map(({ message }) => message);
const autoscaling = { minReplicas: 3, maxReplicas: 2 };

/** Specs that both the schema and the webhook refuse: the spec, the field that the error names, and the message. */
const refused: readonly (readonly [string, object, string, string | undefined])[] = [
  ["an image that is no reference", { image: "Nginx:1.25" }, "spec.image", reference],
  ["an image with a blank", { image: "nginx:1 25" }, "spec.image", reference],
  ["an image without a tag", { image: "nginx" }, "spec.image", pinned],
  ["a registry's port instead of a tag", { image: "localhost:5000/nginx" }, "spec.image", pinned],
  ["the tag latest", { image: "nginx:latest" }, "spec.image", pinned],
  ["too many replicas", { image: "nginx:1", replicas: 1001 }, "spec.replicas", bounds],
  ["an autoscaling upside down", { image: "nginx:1", autoscaling }, "spec.autoscaling", order],
];

const tcpSocket = { port: "http" };

/** Specs that only the schema refuses, because no Deployment or Ingress can have them. */
const impossible: readonly (readonly [string, object, string])[] = [
  ["a livenessProbe that succeeds twice", { livenessProbe: { tcpSocket, successThreshold: 2 } }, "must be 1"],
  ["a startupProbe that succeeds twice", { startupProbe: { tcpSocket, successThreshold: 2 } }, "must be 1"],
  [
    "a readinessProbe with a grace period",
    { readinessProbe: { tcpSocket, terminationGracePeriodSeconds: 5 } },
    "a readinessProbe has no terminationGracePeriodSeconds",
  ],
  ...["//", "/a/../b", "/a/.", "/a%2Fb"].map(
    (path) =>
      [`the path ${path}`, { ingress: { host: "a.b", path } }, "must be a path without empty parts"] as const,
  ),
];

/** The webhook is never called with this: a kind with a scale subresource has no negative replicas. */
const tooFew = ["too few replicas", { image: "nginx:1", replicas: -1 }, "spec.replicas", bounds] as const;

const longName = "a".repeat(64);

/** Runs the operator for all tests of the group. */
function useOperator(options: { readonly webhooks: boolean }): void {
  let operator: RunningOperator;
  beforeAll(async () => {
    operator = await runOperator(webapp, { access: world.cluster, ...options });
  });
  afterAll(() => operator?.stop());
}

describe("without webhooks", () => {
  useOperator({ webhooks: false });

  it.each([...refused, tooFew])("the API server refuses %s", async (_, spec, field, message) => {
    const space = await WebAppSpace.create(world);
    expect(await space.refusal(manifestOf("bad", spec))).toContain(`${field}: Invalid value`);
    expect(await space.refusal(manifestOf("bad", spec))).toContain(message);
  });

  it.each(impossible)("the API server refuses %s", async (_, spec, message) => {
    const space = await WebAppSpace.create(world);
    expect(await space.refusal(manifestOf("bad", { image: "nginx:1", ...spec }))).toContain(message);
  });

  it("the API server refuses a name that no Service can have, and a component that changes", async () => {
    const space = await WebAppSpace.create(world);
    expect(await space.refusal(manifestOf(longName, { image: "nginx:1" }))).toContain(nameRule.message);
    await space.apply("good", { image: "nginx:1", component: "front" });
    for (const spec of [{ image: "nginx:1", component: "back" }, { image: "nginx:1" }])
      expect(await space.refusal(manifestOf("good", spec))).toContain(componentIsImmutable);
  });

  it("the API server fills in the defaults", async () => {
    const space = await WebAppSpace.create(world);
    await space.apply("good", { image: "nginx:latest", allowLatest: true, ingress: { host: "a.b" } });
    expect((await space.get(WebApp, "good")).spec).toEqual({
      ...{ image: "nginx:latest", allowLatest: true, replicas: 1, port: 80, serviceType: "ClusterIP" },
      ingress: { host: "a.b", path: "/" },
    });
  });
});

describe("with webhooks", () => {
  useOperator({ webhooks: true });

  it("a WebApp gets labels, and keeps those that it has", async () => {
    const space = await WebAppSpace.create(world);
    await space.apply("labelled", { image: "nginx:1" }, { labels: { "app.kubernetes.io/name": "mine" } });
    expect((await space.get(WebApp, "labelled")).metadata.labels).toEqual({
      "app.kubernetes.io/name": "mine",
      "app.kubernetes.io/instance": "labelled",
      "app.kubernetes.io/managed-by": "webapp",
    });
    await space.reaches("labelled", "Ready");
  });

  it("a WebApp whose name the API server chooses gets the label with it when it changes", async () => {
    const space = await WebAppSpace.create(world);
    const { metadata } = await world.client.create(WebApp, {
      metadata: { namespace: space.namespace, generateName: "made-" },
      spec: { image: "nginx:1" },
    });
    const name = metadata.name ?? "";
    expect(metadata.labels).toEqual({
      "app.kubernetes.io/name": "webapp",
      "app.kubernetes.io/managed-by": "webapp",
    });
    await space.reaches(name, "Ready");
    const labels = { ...metadata.labels, "app.kubernetes.io/instance": name };
    expect((await space.get(Deployment, name)).metadata.labels).toEqual(labels);
    await space.kubectl("annotate", "webapp", name, "example.com/touched=yes");
    expect((await space.get(WebApp, name)).metadata.labels).toEqual(labels);
  });

  it("a request that is greater than its limit is denied by the webhook, because no schema can express it", async () => {
    const space = await WebAppSpace.create(world);
    const resources = { requests: { memory: "1Gi" }, limits: { memory: "512Mi" } };
    expect(await space.refusal(manifestOf("greedy", { image: "nginx:1", resources }))).toContain(
      'admission webhook "validate.webapp.v1.example.com" denied the request: ' +
        "resources: the request for memory (1Gi) is greater than its limit (512Mi)",
    );
    expect(await space.find(WebApp, "greedy")).toBeUndefined();
  });

  it("a WebApp that is being deleted can change while no operator serves the webhooks", async () => {
    const space = await WebAppSpace.create(world);
    await space.apply("leaving", { image: "nginx:1" }, { finalizers: ["example.com/hold"] });
    await using _ = await unreachableWebhooks(space.namespace);
    const labelled = () =>
      world.cluster.tryKubectl(["-n", space.namespace, "label", "webapp", "leaving", "a=b", "--overwrite"]);
    await expect.poll(async () => (await labelled()).stderr).toContain("failed calling webhook");
    await space.kubectl("delete", "webapp", "leaving", "--wait=false");
    expect((await labelled()).exitCode).toBe(0);
    const patch = JSON.stringify({ metadata: { finalizers: null } });
    await space.kubectl("patch", "webapp", "leaving", "--type=merge", "-p", patch);
    await expect.poll(() => space.find(WebApp, "leaving")).toBeUndefined();
  });

  it.each(["background", "foreground", "orphan"])(
    "a WebApp is deleted with --cascade=%s while no operator serves the webhooks",
    patient,
    async (cascade) => {
      const space = await WebAppSpace.create(world);
      await space.apply("leaving", { image: "nginx:1" });
      await space.reaches("leaving", "Ready");
      await using _ = await unreachableWebhooks(space.namespace);
      await expect
        .poll(async () => space.refusal(manifestOf("leaving", { image: "nginx:2" })))
        .toContain("failed calling webhook");
      await space.kubectl("delete", "webapp", "leaving", `--cascade=${cascade}`, "--timeout=100s");
    },
  );

  it("kubectl prints warnings", async () => {
    const space = await WebAppSpace.create(world);
    const input = JSON.stringify(
      manifestOf("vague", { image: "nginx", allowLatest: true, autoscaling: { maxReplicas: 3 } }),
    );
    const { stderr } = await world.cluster.tryKubectl(["-n", space.namespace, "apply", "-f", "-"], { input });
    expect(stderr.trim().split("\n")).toEqual([
      "Warning: image nginx may name another version later: pods may run different versions",
      "Warning: autoscaling needs resources.requests.cpu: without it the autoscaler cannot compute the CPU usage of the pods",
    ]);
  });

  it("the webhook denies with the same message what a schema without rules accepts", async () => {
    const space = await WebAppSpace.create(world);
    await space.apply("good", { image: "nginx:1", component: "front" });
    await withoutRules(async () => {
      const denial = 'admission webhook "validate.webapp.v1.example.com" denied the request: ';
      for (const [, spec, , message] of refused)
        expect(await space.refusal(manifestOf("bad", spec))).toContain(`${denial}${message}`);
      expect(await space.refusal(manifestOf(longName, { image: "nginx:1" }))).toContain(
        `${denial}${nameRule.message}`,
      );
      expect(await space.refusal(manifestOf("good", { image: "nginx:1", component: "back" }))).toContain(
        `${denial}${componentIsImmutable}`,
      );
    });
  });
});

/** Registers the webhooks of the running operator for a namespace once more, at an address at which nothing listens. */
async function unreachableWebhooks(namespace: string): Promise<AsyncDisposable> {
  const { client } = world;
  const metadata = { name: `unreachable-${namespace}` };
  const unreachable = <W extends MutatingWebhook | ValidatingWebhook>(webhooks: readonly W[] = []) =>
    webhooks
      .filter(({ name }) => name.includes("webapp"))
      .map((webhook) => ({
        ...webhook,
        clientConfig: { url: "https://127.0.0.1:1" },
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
      }));
  const [mutating] = (await client.list(MutatingWebhookConfiguration)).items;
  const [validating] = (await client.list(ValidatingWebhookConfiguration)).items;
  await client.create(MutatingWebhookConfiguration, { metadata, webhooks: unreachable(mutating?.webhooks) });
  await client.create(ValidatingWebhookConfiguration, {
    metadata,
    webhooks: unreachable(validating?.webhooks),
  });
  return {
    async [Symbol.asyncDispose]() {
      await client.delete(MutatingWebhookConfiguration, metadata);
      await client.delete(ValidatingWebhookConfiguration, metadata);
    },
  };
}

/** Runs with a CustomResourceDefinition without rules. */
async function withoutRules(run: () => Promise<void>): Promise<void> {
  const { metadata, spec } = WebApp.crd();
  const bare: unknown = JSON.parse(JSON.stringify(spec), (key: string, value: unknown) =>
    key === "x-kubernetes-validations" ? undefined : value,
  );
  const put = (spec: unknown) =>
    world.client.patch(CustomResourceDefinition, { name: metadata.name }, mergePatch({ spec }));
  await put(bare);
  try {
    await expect.poll(whoRefuses).toBe("a webhook");
    await run();
  } finally {
    await put(spec);
    await expect.poll(whoRefuses).toBe("a rule");
  }
}

/** Whether the API server, which checks first, or a webhook refuses too many replicas. */
async function whoRefuses(): Promise<string> {
  const input = JSON.stringify(manifestOf("probe", { image: "nginx:1", replicas: 1001 }));
  const { stderr } = await world.cluster.tryKubectl(["apply", "--dry-run=server", "-f", "-"], { input });
  if (stderr.includes("spec.replicas: Invalid value")) return "a rule";
  return stderr.includes("denied the request") ? "a webhook" : stderr;
}
