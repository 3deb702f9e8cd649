import { accessFromKubeconfig, type Client, createClient, httpTransport } from "@keelson/client";
import type { Access } from "@keelson/controlplane";
import { type KubeObject, systemClock, systemRandom } from "@keelson/core";
import { ConfigMap, Event as CoreEvent, Namespace } from "@keelson/core/kinds/core/v1";
import { Event } from "@keelson/core/kinds/events/v1";
import { ClusterRole } from "@keelson/core/kinds/rbac/v1";
import {
  type Cluster,
  faults,
  faultyTransport,
  RecordingLogger,
  startCluster,
  VirtualClock,
} from "@keelson/testkit";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { guardWrites } from "../../src/leader/write-guard.ts";
import {
  type ApiEventRecorder,
  createEventRecorder,
  type EventRecorderOptions,
} from "../../src/telemetry/events/recorder.ts";

let controlPlane: Cluster;
let admin: Client;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL);
  admin = createClient({ transport: transportOf(controlPlane) });
});
afterAll(async () => {
  for (const close of closing) await close();
  await controlPlane?.stop();
});

function transportOf({ kubeconfig }: Access) {
  const transport = httpTransport(accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} }));
  closing.push(() => transport.close());
  return transport;
}

interface World {
  readonly namespace: string;
  /** What events are about. */
  readonly object: KubeObject;
  readonly recorder: ApiEventRecorder;
  readonly log: RecordingLogger;
  readonly outcomes: string[];
  events(): Promise<readonly Event[]>;
}

let worlds = 0;

/** A namespace with an object in it and a recorder of its own. */
async function setUp(options: Partial<EventRecorderOptions> = {}): Promise<World> {
  worlds += 1;
  const namespace = `events-${worlds}`;
  await admin.create(Namespace, { metadata: { name: namespace } });
  const object = await admin.create(ConfigMap, { metadata: { namespace, name: "web" } });
  const log = new RecordingLogger();
  const outcomes: string[] = [];
  const recorder = createEventRecorder({
    client: admin,
    clock: systemClock,
    random: systemRandom,
    reportingController: "example.com/webapp",
    reportingInstance: "webapp-0",
    log,
    observer: { sent: (how) => outcomes.push(how), dropped: (reason) => outcomes.push(reason) },
    ...options,
  });
  onTestFinished(() => recorder.stop());
  const events = async () => (await admin.list(Event, { namespace })).items;
  return { namespace, object, recorder, log, outcomes, events };
}

const scaled = { type: "Normal", reason: "ScaledUp", action: "Scale", message: "scaled to 3" } as const;

describe("an event", () => {
  it("[EVR1] is shown by kubectl get events and kubectl describe", async () => {
    const { namespace, object, recorder, outcomes } = await setUp();
    recorder.record(object, scaled);
    recorder.record(object, { type: "Warning", reason: "Slow", message: "this takes long" });
    await recorder.flush();
    expect(outcomes).toEqual(["create", "create"]);
    const list = await controlPlane.kubectl(["get", "events", "-n", namespace]);
    expect(list).toMatch(/Normal\s+ScaledUp\s+configmap\/web\s+scaled to 3/);
    const description = await controlPlane.kubectl(["describe", "configmap", "web", "-n", namespace]);
    expect(description).toMatch(/Normal\s+ScaledUp\s+\S+\s+example\.com\/webapp\s+scaled to 3/);
    expect(description).toMatch(/Warning\s+Slow\s+\S+\s+example\.com\/webapp\s+this takes long/);
  });

  it("[EVR1] has the message, the version of the object, the reporter and the related object", async () => {
    const { namespace, object, recorder, events } = await setUp();
    recorder.record(object, { ...scaled, related: object });
    await recorder.flush();
    const [event] = await events();
    const reference = {
      apiVersion: "v1",
      kind: "ConfigMap",
      namespace,
      name: "web",
      uid: object.metadata.uid,
      resourceVersion: object.metadata.resourceVersion,
    };
    expect(event).toMatchObject({
      metadata: { name: expect.stringMatching(/^web\.[0-9a-f]{16}$/) },
      type: "Normal",
      reason: "ScaledUp",
      action: "Scale",
      note: "scaled to 3",
      regarding: reference,
      related: reference,
      reportingController: "example.com/webapp",
      reportingInstance: "webapp-0",
    });
    expect(Math.abs(Date.parse(event?.eventTime ?? "") - Date.now())).toBeLessThan(60_000);
  });

  it("of an object without a namespace is in default, also when its name cannot be part of an event's", async () => {
    const { namespace, recorder, outcomes } = await setUp();
    const role = await admin.get(ClusterRole, { name: "system:node" });
    recorder.record(role, { ...scaled, message: `from ${namespace}` });
    await recorder.flush();
    expect(outcomes).toEqual(["create"]);
    const { items } = await admin.list(Event, { namespace: "default" });
    expect(items.find(({ note }) => note === `from ${namespace}`)?.regarding?.name).toBe("system:node");
  });

  it("is taken with a message of any length", async () => {
    const { object, recorder, events, outcomes } = await setUp();
    recorder.record(object, { ...scaled, message: "ü€😀".repeat(1_000) });
    await recorder.flush();
    expect(outcomes).toEqual(["create"]);
    expect((await events())[0]?.note).toMatch(/^ü€😀.*…$/u);
  });
});

describe("repetitions", () => {
  it("[EVR3] become a series, whose end is written after 6 min of silence", async () => {
    const clock = new VirtualClock();
    const { object, recorder, events } = await setUp({ clock });
    for (let times = 0; times < 2; times++) {
      recorder.record(object, scaled);
      await recorder.flush();
    }
    const counts = async () => (await events()).map(({ series }) => series?.count);
    expect(await counts()).toEqual([2]);
    recorder.record(object, scaled);
    recorder.record(object, scaled);
    await clock.advance(6 * 60_000 - 1);
    expect(await counts()).toEqual([2]);
    await clock.advance(1);
    await expect.poll(counts).toEqual([4]);
    recorder.record(object, scaled);
    await expect.poll(async () => (await counts()).length).toBe(2);
  });

  it("[EVR3] that were not written yet are written by a flush", async () => {
    const { object, recorder, events, outcomes } = await setUp();
    recorder.record(object, scaled);
    await recorder.flush();
    for (let times = 0; times < 40; times++) recorder.record(object, scaled);
    await recorder.flush();
    expect((await events()).map(({ series }) => series?.count)).toEqual([41]);
    expect(outcomes).toEqual(["create", "patch"]);
  });

  it("[EVR3] of an event that the server has forgotten make it again, with its count", async () => {
    const { namespace, object, recorder, events } = await setUp();
    recorder.record(object, scaled);
    await recorder.flush();
    await admin.deleteAllOf(Event, { namespace });
    recorder.record(object, scaled);
    await recorder.flush();
    expect((await events()).map(({ series }) => series?.count)).toEqual([2]);
  });

  it("[EVR2] are counted by a patch each in core/v1, and kubectl shows how many", async () => {
    const { namespace, object, recorder, outcomes } = await setUp({ api: "core/v1" });
    for (let times = 0; times < 3; times++) {
      recorder.record(object, scaled);
      await recorder.flush();
    }
    expect(outcomes).toEqual(["create", "patch", "patch"]);
    const { items } = await admin.list(CoreEvent, { namespace });
    expect(items).toMatchObject([
      { count: 3, message: "scaled to 3", source: { component: "example.com/webapp" }, type: "Normal" },
    ]);
    const description = await controlPlane.kubectl(["describe", "configmap", "web", "-n", namespace]);
    expect(description).toMatch(/ScaledUp\s+\S+ \(x3 over \S+\)\s+example\.com\/webapp\s+scaled to 3/);
  });

  it("[EVR2] that differ by their message are combined after the tenth", async () => {
    for (const api of ["events.k8s.io/v1", "core/v1"] as const) {
      const { namespace, object, recorder } = await setUp({ api });
      for (let times = 0; times < 14; times++) {
        recorder.record(object, { ...scaled, message: `scaled to ${times}` });
        await recorder.flush();
      }
      const { items } = await admin.list(CoreEvent, { namespace });
      expect(items).toHaveLength(11);
      const combined = items.find(({ message }) => message?.startsWith("(combined"));
      // The message of an event of events.k8s.io cannot change.
      const last = api === "core/v1" ? 13 : 10;
      expect(combined?.message).toBe(`(combined from similar events): scaled to ${last}`);
      expect(combined?.count ?? combined?.series?.count).toBe(4);
    }
  });

  it("[EVR2] beyond 25 about an object are not sent, and counted", async () => {
    const { object, recorder, events } = await setUp();
    for (let index = 0; index < 30; index++) recorder.record(object, { ...scaled, reason: `R${index}` });
    await recorder.flush();
    expect(await events()).toHaveLength(25);
    expect(recorder.drops).toEqual(new Map([["spam", 5]]));
  });
});

describe("an API server that cannot take events", () => {
  it("[EVR1] because it restarts gets them when it is back", async () => {
    const transport = faultyTransport(transportOf(controlPlane));
    const { object, recorder, events, outcomes } = await setUp({ client: createClient({ transport }) });
    await controlPlane.kill("kube-apiserver");
    for (let index = 0; index < 20; index++) recorder.record(object, { ...scaled, reason: `R${index}` });
    await expect.poll(() => transport.requests.length).toBeGreaterThan(1);
    expect(outcomes).toEqual([]);
    await controlPlane.restart("kube-apiserver");
    await recorder.flush();
    expect(outcomes).toEqual(Array.from({ length: 20 }, () => "create"));
    expect(await events()).toHaveLength(20);
    // A restart takes its time on a busy machine, and the longer it takes the longer is the wait for the next try.
  }, 150_000);

  it("[EVR1] because the sender may not write: they are dropped and counted, which is logged once", async () => {
    const user = await controlPlane.createUser({ user: "unprivileged" });
    const client = createClient({ transport: transportOf(user) });
    const { object, recorder, log, events } = await setUp({ client });
    for (let index = 0; index < 5; index++) recorder.record(object, { ...scaled, reason: `R${index}` });
    await recorder.flush();
    expect(recorder.drops).toEqual(new Map([["forbidden", 5]]));
    expect(log.messages("warn")).toEqual([
      "drop an event: the API server forbids it; grant the verbs create and patch on events and " +
        "events.events.k8s.io; this is logged once",
    ]);
    expect(await events()).toEqual([]);
  });

  it("[EVR1] because the namespace is being deleted, or deleted: they are counted and logged at debug", async () => {
    const { namespace, object, recorder, log } = await setUp();
    // No controller completes the deletion here: the namespace stays.
    await admin.delete(Namespace, { name: namespace });
    recorder.record(object, scaled);
    recorder.record({ ...object, metadata: { namespace: "never-was", name: "web" } }, scaled);
    await recorder.flush();
    expect(recorder.drops).toEqual(new Map([["namespace_gone", 2]]));
    expect(log.messages("warn")).toEqual([]);
  });

  it("[EVR1] because its response is lost writes each Event once", async () => {
    const transport = faultyTransport(transportOf(controlPlane));
    transport.fault({ method: "POST", path: /\/events/ }, faults.loseResponse());
    const { object, recorder, events, outcomes } = await setUp({ client: createClient({ transport }) });
    recorder.record(object, scaled);
    await recorder.flush();
    expect(outcomes).toEqual(["create"]);
    expect(await events()).toHaveLength(1);
    const posts = transport.requests.filter(({ method }) => method === "POST");
    expect(posts).toHaveLength(2);
  });

  it("[EVR1] because a guard lets only leaders write gets them when this replica leads", async () => {
    let isCertain = false;
    const client = guardWrites(admin, {
      lease: { namespace: "shop", name: "lock" },
      leaseDurationMs: 15_000,
      renewedAgoMs: undefined,
      get isCertain() {
        return isCertain;
      },
    });
    const { object, recorder, events, outcomes } = await setUp({ client });
    recorder.record(object, scaled);
    await expect(recorder.flush(AbortSignal.timeout(200))).rejects.toThrow();
    expect(outcomes).toEqual([]);
    isCertain = true;
    await recorder.flush();
    expect(await events()).toHaveLength(1);
  });
});
