import { startWorld, type World } from "@keelson/testkit";
import { controllerOf } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { Service } from "keelson/kinds/core/v1";
import { Ingress } from "keelson/kinds/networking/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebApp } from "../../src/api/web-app.ts";
import { webapp } from "../../src/operator.ts";
import { WebAppSpace } from "../support/space.ts";

let world: World;

/** The garbage collector makes orphans once it has discovered the kind of their owner. */
const patient = { timeout: 120_000 };

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  await world.runOperator(webapp);
});
afterAll(() => world?.stop());

async function readySpace(name: string, spec: object = {}): Promise<WebAppSpace> {
  const space = await WebAppSpace.create(world);
  await space.apply(name, { image: "web:1", ...spec });
  await space.reaches(name, "Ready");
  return space;
}

describe("drift", () => {
  it("of fields that the operator applies is corrected", async () => {
    const space = await readySpace("corrected", { replicas: 2 });
    await space.kubectl("scale", "deployment", "corrected", "--replicas=5");
    await space.kubectl("set", "image", "deployment/corrected", "web=intruder:1");
    await space.kubectl("patch", "service", "corrected", "-p", `{"spec":{"type":"NodePort"}}`);
    await expect
      .poll(async () => (await space.get(Deployment, "corrected")).spec)
      .toMatchObject({
        replicas: 2,
        template: { spec: { containers: [{ image: "web:1" }] } },
      });
    await expect.poll(async () => (await space.get(Service, "corrected")).spec?.type).toBe("ClusterIP");
    await expect.poll(() => space.eventReasons("corrected")).toContain("Healed");
  });

  it("of the number of a port is corrected, although the number is the key of the port", async () => {
    const space = await readySpace("moved");
    const move = async (kind: string, path: string): Promise<void> => {
      const patch = JSON.stringify([{ op: "replace", path, value: 81 }]);
      await space.kubectl("patch", kind, "moved", "--type=json", "-p", patch);
    };
    await move("service", "/spec/ports/0/port");
    await move("deployment", "/spec/template/spec/containers/0/ports/0/containerPort");
    await expect
      .poll(async () => (await space.get(Service, "moved")).spec?.ports)
      .toEqual([{ name: "http", port: 80, protocol: "TCP", targetPort: "http" }]);
    await expect
      .poll(async () => (await space.get(Deployment, "moved")).spec?.template.spec?.containers[0]?.ports)
      .toEqual([{ name: "http", containerPort: 80, protocol: "TCP" }]);
    await space.reaches("moved", "Ready");
    await space.apply("moved", { image: "web:1", port: 82 });
    await space.reaches("moved", "Ready");
    expect((await space.get(Service, "moved")).spec?.ports?.map(({ port }) => port)).toEqual([82]);
    await space.shows("moved", "Degraded", "False", "AsExpected");
  });

  it("by the deletion of an owned object is corrected by a new one", async () => {
    const space = await readySpace("deleted");
    const { uid } = (await space.get(Service, "deleted")).metadata;
    await space.kubectl("delete", "service", "deleted");
    await expect.poll(async () => (await space.find(Service, "deleted"))?.metadata.uid ?? uid).not.toBe(uid);
  });

  it("does not include fields of other field managers", async () => {
    const space = await readySpace("shared");
    await space.kubectl("annotate", "deployment", "shared", "example.com/team=blue");
    const sidecar = { spec: { template: { spec: { containers: [{ name: "proxy", image: "proxy:1" }] } } } };
    await space.kubectl("patch", "deployment", "shared", "-p", JSON.stringify(sidecar));
    await space.kubectl("label", "service", "shared", "example.com/tier=front");
    await space.apply("shared", { image: "web:2" });
    await space.reaches("shared", "Ready");
    const deployment = await space.get(Deployment, "shared");
    expect(deployment.metadata.annotations).toMatchObject({ "example.com/team": "blue" });
    const images = deployment.spec?.template.spec?.containers.map(({ name, image }) => [name, image]);
    expect(images?.toSorted()).toEqual([
      ["proxy", "proxy:1"],
      ["web", "web:2"],
    ]);
    expect((await space.get(Service, "shared")).metadata.labels).toMatchObject({
      "example.com/tier": "front",
    });
    expect(await space.eventReasons("shared")).not.toContain("Healed");
  });
});

describe("a foreign object with the name of an owned object", () => {
  it("stays, blocks the WebApp with a message, and unblocks it when it is deleted", async () => {
    const space = await WebAppSpace.create(world);
    await space.kubectl("create", "deployment", "taken", "--image=theirs:1");
    await space.apply("taken", { image: "ours:1" });
    const message =
      "Deployment taken exists already and the WebApp does not own it; delete or rename it, or rename the WebApp";
    expect(await space.shows("taken", "Degraded", "True", "NameTaken")).toBe(message);
    await space.shows("taken", "Progressing", "False", "NameTaken");
    expect((await space.get(WebApp, "taken")).status?.phase).toBe("Reconciling");
    await expect.poll(() => space.eventReasons("taken")).toContain("NameTaken");
    const theirs = await space.get(Deployment, "taken");
    expect(theirs.spec?.template.spec?.containers[0]?.image).toBe("theirs:1");
    expect(controllerOf(theirs)).toBeUndefined();
    await space.kubectl("delete", "deployment", "taken");
    await space.reaches("taken", "Ready");
    await space.shows("taken", "Degraded", "False", "AsExpected");
  });

  it("stays if another WebApp owns it, and if the WebApp does not need it", async () => {
    const space = await readySpace("first");
    const { uid } = (await space.get(WebApp, "first")).metadata;
    const owner = { apiVersion: "example.com/v1", kind: "WebApp", name: "first", uid, controller: true };
    const ports = [{ port: 80 }];
    await world.client.create(Service, {
      metadata: {
        namespace: space.namespace,
        name: "second",
        ownerReferences: [{ ...owner, uid: uid ?? "" }],
      },
      spec: { ports },
    });
    await world.client.create(Ingress, {
      metadata: { namespace: space.namespace, name: "second" },
      spec: { rules: [{ host: "theirs.example.com" }] },
    });
    await space.apply("second", { image: "web:1" });
    expect(await space.shows("second", "Degraded", "True", "NameTaken")).toBe(
      "Service second exists already and WebApp first controls it; delete or rename it, or rename the WebApp",
    );
    expect((await space.get(Ingress, "second")).metadata.deletionTimestamp).toBeUndefined();
    await space.kubectl("delete", "service", "second");
    await space.reaches("second", "Ready");
  });
});

describe("orphans", () => {
  it("are adopted by a WebApp of the same name", patient, async () => {
    const space = await readySpace("orphan");
    const { uid } = (await space.get(Deployment, "orphan")).metadata;
    await space.kubectl("delete", "webapp", "orphan", "--cascade=orphan");
    await expect.poll(async () => controllerOf(await space.get(Deployment, "orphan"))).toBeUndefined();
    await space.apply("orphan", { image: "web:1" });
    const { metadata } = await space.reaches("orphan", "Ready");
    const deployment = await space.get(Deployment, "orphan");
    expect(deployment.metadata.uid).toBe(uid);
    expect(controllerOf(deployment)?.uid).toBe(metadata.uid);
    expect(controllerOf(await space.get(Service, "orphan"))?.uid).toBe(metadata.uid);
  });
});

describe("an Ingress", () => {
  it("is created, updated and deleted with spec.ingress", async () => {
    const annotations = { "example.com/issuer": "letters" };
    const tls = { secretName: "host-tls" };
    const host = "host.example.com";
    const space = await readySpace("host", {
      port: 8080,
      ingress: { host, tls, annotations, className: "fast" },
    });
    expect((await space.get(WebApp, "host")).status?.url).toBe("https://host.example.com");
    const { metadata, spec } = await space.get(Ingress, "host");
    expect(metadata.annotations).toMatchObject(annotations);
    expect(spec).toMatchObject({
      ingressClassName: "fast",
      rules: [{ host, http: { paths: [{ path: "/", pathType: "Prefix" }] } }],
      tls: [{ hosts: [host], secretName: "host-tls" }],
    });
    await space.apply("host", { image: "web:1", port: 8080, ingress: { host, path: "/shop" } });
    await space.reaches("host", "Ready");
    const changed = await space.get(Ingress, "host");
    expect(changed.spec?.tls).toBeUndefined();
    expect(changed.metadata.annotations).not.toHaveProperty("example.com/issuer");
    expect((await space.get(WebApp, "host")).status?.url).toBe("http://host.example.com/shop");
    await space.apply("host", { image: "web:1", port: 8080 });
    await expect.poll(() => space.find(Ingress, "host")).toBeUndefined();
    const { status } = await space.reaches("host", "Ready");
    expect(status?.url).toBe(`http://host.${space.namespace}.svc:8080`);
    await expect.poll(() => space.eventReasons("host")).toContain("Removed");
  });
});

describe("a load balancer", () => {
  it("gives the WebApp its address", async () => {
    const space = await readySpace("balanced", { serviceType: "LoadBalancer" });
    const patch = JSON.stringify({ status: { loadBalancer: { ingress: [{ ip: "192.0.2.7" }] } } });
    await space.kubectl("patch", "service", "balanced", "--subresource=status", "-p", patch);
    await expect.poll(async () => (await space.get(WebApp, "balanced")).status?.url).toBe("http://192.0.2.7");
  });
});

describe("a problem", () => {
  it("of an owned object that the API server refuses is shown with its message, and ends with its cause", async () => {
    const space = await WebAppSpace.create(world);
    const resources = { requests: { cpu: 2 }, limits: { cpu: 1 } };
    await space.apply("refused", { image: "web:1", resources });
    expect(await space.shows("refused", "Degraded", "True", "ApplyFailed")).toBe(
      'Deployment: Deployment.apps "refused" is invalid: spec.template.spec.containers[0].resources.requests: ' +
        'Invalid value: "2": must be less than or equal to cpu limit of 1',
    );
    await expect.poll(() => space.eventReasons("refused")).toContain("ApplyFailed");
    expect(await space.find(Service, "refused")).toBeDefined();
    await space.apply("refused", { image: "web:1" });
    await space.reaches("refused", "Ready");
    await space.shows("refused", "Degraded", "False", "AsExpected");
  });

  it("with a long message is shown with a shortened one", async () => {
    const space = await WebAppSpace.create(world);
    await space.apply("long", { image: "web:1", serviceAccountName: "Ä".repeat(40_000) });
    const message = await space.shows("long", "Degraded", "True", "ApplyFailed");
    expect(message).toMatch(/^Deployment: .*Ä…$/);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
  });

  it("of a rollout that makes no progress is shown", async () => {
    const space = await readySpace("stuck");
    await space.kubectl("patch", "deployment", "stuck", "-p", `{"spec":{"progressDeadlineSeconds":1}}`);
    world.nodes.failPulls("stuck:2");
    await space.apply("stuck", { image: "stuck:2" });
    expect(await space.shows("stuck", "Degraded", "True", "ProgressDeadlineExceeded")).toBe(
      "the rollout has made no progress for 1 s; look at the pods",
    );
    await space.shows("stuck", "Progressing", "False", "ProgressDeadlineExceeded");
    await space.shows("stuck", "Available", "True", "MinimumReplicasAvailable");
    world.nodes.allowPulls("stuck:2");
    await space.reaches("stuck", "Ready");
    await space.shows("stuck", "Degraded", "False", "AsExpected");
  });

  it("of pods that may not be created is shown", async () => {
    const space = await WebAppSpace.create(world);
    await space.apply("poor", { image: "web:1", serviceAccountName: "missing" });
    expect(await space.shows("poor", "Degraded", "True", "ReplicaFailure")).toMatch(
      /forbidden: .*serviceaccount "missing" not found/,
    );
    await space.kubectl("create", "serviceaccount", "missing");
    await space.reaches("poor", "Ready");
    await space.shows("poor", "Degraded", "False", "AsExpected");
  });
});
