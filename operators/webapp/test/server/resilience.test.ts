import {
  describeWrite,
  type FaultyTransport,
  faults,
  faultyTransport,
  runOperator,
  startWorld,
  type World,
} from "@keelson/testkit";
import { admission, defineOperator } from "keelson";
import type { Transport } from "keelson/client";
import { Deployment } from "keelson/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "keelson/kinds/autoscaling/v2";
import { Service } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { webapp } from "../../src/operator.ts";
import { seeReplicas } from "../support/seen.ts";
import { WebAppSpace } from "../support/space.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());

describe("a settled WebApp", () => {
  it("is not written by another replica", async () => {
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

describe("a foreign webhook that overrules the desired state", () => {
  it("causes no Events about corrected drift", async () => {
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
  it.each([
    ["deployments", "ServiceUnavailable"],
    ["services", "ServiceUnavailable"],
    ["services", "InternalError"],
  ] as const)("at %s with %s keeps a WebApp from being Ready before it is", async (kind, reason) => {
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
    const failure = faults.refuse(reason);
    const rules = faulty.map((transport) =>
      transport.fault({ method: "PATCH", path: new RegExp(`/${kind}/web`) }, failure, { times: Infinity }),
    );
    await space.apply("web", { image: "web:2", port: 81 });
    await space.reaches("web", "Reconciling");
    if (reason === "InternalError") await space.shows("web", "Degraded", "True", "ApplyFailed");
    else
      expect(await space.shows("web", "Progressing", "True", "Reconciling")).toBe(
        "not all desired objects could be applied; the operator retries, and its log contains the error",
      );
    for (const rule of rules) rule.remove();
    await space.kubectl("annotate", "webapp", "web", "example.com/try=now");
    await space.reaches("web", "Ready");
    const [container] = (await space.get(Deployment, "web")).spec?.template.spec?.containers ?? [];
    expect(container?.image).toBe("web:2");
    expect((await space.get(Service, "web")).spec?.ports?.[0]?.port).toBe(81);
  });
});

describe("the hand-over of the number of pods", () => {
  it("leaves a number that another writer has set in the meantime", async () => {
    const space = await WebAppSpace.create(world);
    const faulty: FaultyTransport[] = [];
    await using operator = await runOperator(webapp, {
      ...{ access: world.cluster, namespaces: [space.namespace] },
      wrap: (transport) => {
        const wrapped = faultyTransport(transport);
        wrapped.fault(({ query }) => query.fieldManager === "webapp-replicas", faults.hold());
        faulty.push(wrapped);
        return wrapped;
      },
    });
    await space.apply("busy", { image: "web:1", replicas: 3 });
    await space.reaches("busy", "Ready");
    await using seen = await seeReplicas(world.client, space.namespace, "busy");
    const resources = { requests: { cpu: "100m" } };
    const autoscaling = { minReplicas: 2, maxReplicas: 9 };
    await space.apply("busy", { image: "web:1", replicas: 3, resources, autoscaling });
    await expect.poll(() => faulty.some(({ heldRequests }) => heldRequests.length > 0)).toBe(true);
    await space.kubectl("scale", "deployment", "busy", "--replicas=5");
    for (const transport of faulty) transport.releaseAll();
    await expect.poll(() => space.find(HorizontalPodAutoscaler, "busy")).toBeDefined();
    await expect.poll(async () => (await space.reaches("busy", "Ready")).status?.availableReplicas).toBe(5);
    expect(seen.values).toEqual([3, 5]);
    expect(await operator.metrics()).toMatch(
      /controller_runtime_reconcile_errors_total\{controller="webapp"\} 0\n/,
    );
  });
});

describe("an API server that restarts", () => {
  it("in the middle of a rollout does not keep it from completing", async () => {
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
