import {
  crashAtEveryWrite,
  describeWrite,
  type FaultyTransport,
  faults,
  faultyTransport,
  normalized,
  runOperator,
  type ScenarioWorld,
  startWorld,
  type World,
} from "@keelson/testkit";
import { admission, defineOperator, type KubeObject, type Resource, systemClock } from "keelson";
import type { Transport } from "keelson/client";
import { Deployment } from "keelson/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "keelson/kinds/autoscaling/v2";
import { Service } from "keelson/kinds/core/v1";
import { Ingress } from "keelson/kinds/networking/v1";
import { rbacRules, usesOfSources } from "keelson/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebApp } from "../../src/api/web-app.ts";
import { webapp } from "../../src/operator.ts";
import { webappController } from "../../src/webapp/controller.ts";
import { manifestOf, WebAppSpace } from "../support/space.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());

const modest = { image: "web:1", replicas: 2, ingress: { host: "web.example.com" } };
const grown = {
  image: "web:2",
  replicas: 3,
  resources: { requests: { cpu: "100m" } },
  autoscaling: { minReplicas: 2, maxReplicas: 5 },
};

async function apply({ cluster, namespace }: ScenarioWorld, spec: object): Promise<void> {
  const input = JSON.stringify(manifestOf("web", spec));
  await cluster.kubectl(["-n", namespace, "apply", "-f", "-"], { input });
}

/** Ready for its last spec, and nothing of an earlier one is left. */
async function isSettled({ client, namespace }: ScenarioWorld, stage: string): Promise<boolean> {
  const { metadata, status } = await client.get(WebApp, { namespace, name: "web" });
  const ingresses = (await client.list(Ingress, { namespace })).items.length;
  const autoscalers = (await client.list(HorizontalPodAutoscaler, { namespace })).items.length;
  const isClean =
    stage === "prepared" ? ingresses === 1 && autoscalers === 0 : ingresses === 0 && autoscalers === 1;
  return isClean && status?.phase === "Ready" && status.observedGeneration === metadata.generation;
}

async function outcome({ client, namespace }: ScenarioWorld): Promise<unknown> {
  const all = async (resource: Resource): Promise<readonly KubeObject[]> =>
    (await client.list(resource, { namespace })).items;
  const kinds = [WebApp, Deployment, Service, HorizontalPodAutoscaler];
  const objects = (await Promise.all(kinds.map(all))).flat();
  // What autoscalers and the rollout's history tell of themselves depends on when they looked.
  return normalized(
    objects.map((object) => {
      const { managedFields: _, generation: __, ...metadata } = object.metadata;
      return { ...object, ...(object.kind !== "WebApp" && { status: {} }), metadata };
    }),
  );
}

describe("an operator that dies", () => {
  it("after any of its writes leaves a world that its successor brings to the same end", {
    timeout: 300_000,
  }, async () => {
    const { writes, crashes } = await crashAtEveryWrite(webapp, {
      cluster: world.cluster,
      scenario: {
        prepare: (scenario) => apply(scenario, modest),
        act: (scenario) => apply(scenario, grown),
        isSettled,
        outcome,
      },
    });
    const kinds = new Set(writes.map((write) => describeWrite(write).split(" ").slice(0, 2).join(" ")));
    expect([...kinds].sort()).toEqual([
      "apply deployments.apps",
      "apply horizontalpodautoscalers.autoscaling",
      "apply ingresses.networking.k8s.io",
      "apply services",
      "delete ingresses.networking.k8s.io",
      "patch webapps.example.com/status",
    ]);
    expect(crashes.length).toBeGreaterThanOrEqual(10);
  });
});

describe("a settled world", () => {
  it("is left as it is by another operator", async () => {
    const space = await WebAppSpace.create(world);
    const first = await runOperator(webapp, { access: world.cluster });
    await space.apply("plain", { image: "web:1", replicas: 2 });
    await space.kubectl("apply", "-f", new URL("../../samples/shop.yaml", import.meta.url).pathname);
    await space.apply("open", {
      ...{ image: `localhost:5000/web@sha256:${"a".repeat(64)}`, port: 8443, serviceType: "NodePort" },
      env: [
        { name: "EMPTY", value: "" },
        { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
      ],
      resources: { requests: { cpu: 1, memory: "0.5Gi" }, limits: { cpu: "1500m" } },
      startupProbe: { grpc: { port: 9000 }, failureThreshold: 3 },
      livenessProbe: { exec: { command: ["true"] } },
      readinessProbe: { tcpSocket: { port: 8443 } },
      ingress: { host: "open.example.com", path: "/a", annotations: { a: "b" } },
      imagePullSecrets: [{ name: "pull" }],
    });
    for (const name of ["plain", "shop", "open"]) await space.reaches(name, "Ready");
    await expect.poll(() => space.find(HorizontalPodAutoscaler, "shop")).toBeDefined();
    await first.idle();
    await first.stop();
    await using second = await runOperator(webapp, { access: world.cluster, namespaces: [space.namespace] });
    await second.idle();
    expect(second.writes.map(describeWrite)).toEqual([]);
    expect(await second.metrics()).toMatch(
      /reconcile_total\{controller="webapp",result="requeue_after"\} ([3-9]|\d\d)\n/,
    );
  });
});

describe("a webhook of somebody else that has the last word", () => {
  it("is not taken for somebody who changes what was healed", async () => {
    const space = await WebAppSpace.create(world);
    const mirrored = admission(Deployment).mutate(({ object }) => {
      const [container] = object.spec?.template.spec?.containers ?? [];
      if (object.metadata.namespace === space.namespace && container !== undefined)
        container.image = "mirror.example.com/web:1";
    });
    const mirror = defineOperator({
      name: "mirror",
      setup: (manager) => manager.addWebhooks({ admissions: [mirrored] }),
    });
    await using _mirror = await runOperator(mirror, { access: world.cluster, webhooks: true });
    const options = { access: world.cluster, namespaces: [space.namespace] };
    await using operator = await runOperator(webapp, options);
    await space.apply("web", { image: "web:1" });
    await space.reaches("web", "Ready");
    await operator.idle();
    const { metadata: before } = await space.get(Deployment, "web");
    operator.clearWrites();
    await space.kubectl("annotate", "webapp", "web", "example.com/look=again");
    await expect.poll(() => operator.writes.map(describeWrite).length).toBeGreaterThan(0);
    await operator.idle();
    expect((await space.get(Deployment, "web")).metadata.resourceVersion).toBe(before.resourceVersion);
    await expect.poll(() => space.eventReasons("web")).toEqual(["Created", "Ready"]);
  });
});

describe("an API server that fails", () => {
  it.each(["deployments", "services"])("at %s keeps a WebApp from being Ready before it is", async (kind) => {
    const space = await WebAppSpace.create(world);
    const faulty: FaultyTransport[] = [];
    const wrap = (transport: Transport): Transport => {
      const wrapped = faultyTransport(transport);
      faulty.push(wrapped);
      return wrapped;
    };
    const options = { access: world.cluster, namespaces: [space.namespace], wrap };
    await using _ = await runOperator(webapp, options);
    await space.apply("web", { image: "web:1", port: 80 });
    await space.reaches("web", "Ready");
    const failure = faults.refuse("InternalError");
    const rules = faulty.map((transport) =>
      transport.fault({ method: "PATCH", path: new RegExp(`/${kind}/web`) }, failure, { times: Infinity }),
    );
    await space.apply("web", { image: "web:2", port: 81 });
    await space.reaches("web", "Reconciling");
    expect(await space.shows("web", "Progressing", "True", "Reconciling")).toBe(
      "not all that is wanted could be applied; it is tried again, and the operator's log says why",
    );
    for (const rule of rules) rule.remove();
    await space.kubectl("annotate", "webapp", "web", "example.com/try=now");
    await space.reaches("web", "Ready");
    const [container] = (await space.get(Deployment, "web")).spec?.template.spec?.containers ?? [];
    expect(container?.image).toBe("web:2");
    expect((await space.get(Service, "web")).spec?.ports?.[0]?.port).toBe(81);
  });
});

describe("an API server that restarts", () => {
  it("in the middle of a rollout does not keep it from ending", async () => {
    const space = await WebAppSpace.create(world);
    await using _ = await runOperator(webapp, { access: world.cluster, namespaces: [space.namespace] });
    world.nodes.failPulls("restart:1");
    await space.apply("restart", { image: "restart:1", replicas: 2 });
    await space.reaches("restart", "WaitingForPodsReady");
    await world.cluster.restart("kube-apiserver");
    world.nodes.allowPulls("restart:1");
    await space.reaches("restart", "Ready");
    await space.apply("restart", { image: "restart:2", replicas: 1 });
    await space.reaches("restart", "Ready");
  });
});

describe("an operator that may do only what it declares", () => {
  it("can do all that it does", async () => {
    const space = await WebAppSpace.create(world);
    const events = ["create", "patch"].map((verb) => ({ verb, group: "events.k8s.io", resource: "events" }));
    const watches = usesOfSources(webappController(systemClock).sources);
    const rules = rbacRules([...webapp.uses, ...watches, ...events]);
    const user = await world.cluster.createUser({ user: "webapp-operator", rules });
    const refused: string[] = [];
    const noticing = (transport: Transport): Transport => ({
      async send(request) {
        const response = await transport.send(request);
        if (response.status === 403) refused.push(`${request.method} ${request.path}`);
        return response;
      },
      close: () => transport.close(),
    });
    await using _ = await runOperator(webapp, { access: user, adminAccess: world.cluster, wrap: noticing });
    const { image, autoscaling, ingress, resources } = { ...modest, ...grown };
    await space.apply("web", { image, autoscaling, ingress, resources });
    await space.reaches("web", "Ready");
    await expect.poll(() => space.find(HorizontalPodAutoscaler, "web")).toBeDefined();
    await space.apply("web", { image });
    await expect.poll(() => space.find(HorizontalPodAutoscaler, "web")).toBeUndefined();
    await expect.poll(() => space.find(Ingress, "web")).toBeUndefined();
    await space.reaches("web", "Ready");
    await expect.poll(() => space.eventReasons("web")).toEqual(["Created", "Ready", "Removed", "Updated"]);
    expect(refused).toEqual([]);
  });
});
