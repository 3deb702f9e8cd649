import { defineOperator, waitFor } from "keelson";
import type { Transport } from "keelson/client";
import { ConfigMap } from "keelson/kinds/core/v1";
import { Event } from "keelson/kinds/events/v1";
import { MissingPermissionsError } from "keelson/schema";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  describeWrite,
  type FaultyTransport,
  faults,
  faultyTransport,
  runOperator,
  secondPass,
  startWorld,
  type World,
} from "../../src/index.ts";
import { Greeting, greeter, nameOf } from "../support/greeter.ts";

let world: World;
let namespace: string;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());

let attempts = 0;
const greet = async (name: string, whom = "world") =>
  world.client.create(Greeting, { metadata: { name, namespace }, spec: { whom } });
const isReady = ({
  status,
}: {
  readonly status?: { readonly phase?: string | undefined } | undefined;
}): boolean => status?.phase === "Ready";

const until = { timeoutMs: 30_000 };
const settled = (name: string) => waitFor(world.client, Greeting, { namespace, name }, isReady, until);

beforeEach(async () => {
  namespace = await world.createNamespace();
});

describe("an operator that runs", () => {
  it("can hand its access and its environment to a program that it starts", async () => {
    const env = { PATH: "/usr/bin" };
    await using running = await runOperator(greeter, { access: world.cluster, namespaces: [namespace], env });
    const { manager } = running;
    expect(manager.access?.server).toBe(world.cluster.url);
    expect(await manager.access?.tls()).toMatchObject({ insecure: false, key: expect.any(String) });
    expect(manager.env).toEqual(env);
  });

  it("has its kinds installed, does its work and reports what it wrote", async () => {
    await using running = await runOperator(greeter, { access: world.cluster, namespaces: [namespace] });
    await greet("a");
    await settled("a");
    expect(running.writes).toEqual([
      { verb: "apply", resource: "configmaps", namespace, name: nameOf("a") },
      {
        verb: "patch",
        resource: "greetings.testkit.keelson.dev",
        subresource: "status",
        namespace,
        name: "a",
      },
    ]);
    const { data } = await running.client.get(ConfigMap, { namespace, name: nameOf("a") });
    expect(data).toEqual({ text: "hi, world" });
    expect(await running.metrics()).toMatch(/^workqueue_adds_total\{.*name="greeting".*\} [1-9]/m);
    running.clearWrites();
    expect(running.writes).toEqual([]);
  });

  it("records events unless they are disabled", async () => {
    const eventsOf = async (name: string) =>
      (await world.client.list(Event, { namespace, fieldSelector: `regarding.name=${name}` })).items;
    const access = world.cluster;
    await using recording = await runOperator(greeter, { access, namespaces: [namespace], events: false });
    await greet("silent");
    await settled("silent");
    await recording.stop();
    await using _ = await runOperator(greeter, { access, namespaces: [namespace] });
    await greet("recorded");
    await expect.poll(() => eventsOf("recorded")).toMatchObject([{ reason: "Greeted" }]);
    expect(await eventsOf("silent")).toEqual([]);
  });

  it("watches only the namespaces of its options", async () => {
    const elsewhere = await world.createNamespace();
    await using running = await runOperator(greeter, { access: world.cluster, namespaces: [namespace] });
    await world.client.create(Greeting, {
      metadata: { name: "a", namespace: elsewhere },
      spec: { whom: "nobody" },
    });
    await greet("a");
    await settled("a");
    expect(running.writes.map((write) => write.namespace)).toEqual([namespace, namespace]);
  });

  it("is idle once it has reconciled all that was there when it started", async () => {
    await using first = await runOperator(greeter, { access: world.cluster, namespaces: [namespace] });
    for (const name of ["a", "b", "c"]) await greet(name);
    for (const name of ["a", "b", "c"]) await settled(name);
    await first.stop();
    await using second = await runOperator(greeter, { access: world.cluster, namespaces: [namespace] });
    await second.idle();
    expect(await second.metrics()).toMatch(
      /^controller_runtime_reconcile_total\{controller="greeting",result="success"\} 3$/m,
    );
    expect(second.writes).toEqual([]);
  });

  it("writes in a second pass only what differs from the desired state", async () => {
    const options = { access: world.cluster, namespaces: [namespace] };
    await using first = await runOperator(greeter, options);
    for (const name of ["a", "b"]) await greet(name);
    for (const name of ["a", "b"]) await settled(name);
    await first.stop();
    expect(await secondPass(greeter, options)).toEqual([]);
    await world.client.delete(ConfigMap, { namespace, name: nameOf("b") });
    expect((await secondPass(greeter, options)).map(describeWrite)).toEqual([
      `apply configmaps ${namespace}/${nameOf("b")}`,
    ]);
  });

  it("sees what is put between it and the server", async () => {
    const wires: FaultyTransport[] = [];
    const wrap = (inner: Transport): Transport => {
      const wire = faultyTransport(inner);
      wire.fault({ method: "PATCH", path: /configmaps/ }, faults.refuse("Conflict"));
      wires.push(wire);
      return wire;
    };
    await using running = await runOperator(greeter, {
      access: world.cluster,
      namespaces: [namespace],
      wrap,
    });
    await greet("a");
    await settled("a");
    expect(running.writes.map(({ verb }) => verb)).toEqual(["apply", "apply", "patch"]);
    await running.stop();
    expect(wires[0]?.openStreams).toEqual([]);
  });
});

describe("an operator that ends", () => {
  it("reports why, if it was not stopped", async () => {
    const poll = Promise.withResolvers<void>();
    const broken = defineOperator({
      name: "broken",
      setup: (manager) => manager.add({ name: "poller", run: () => poll.promise }),
    });
    const running = await runOperator(broken, { access: world.cluster });
    poll.reject(new Error("there is nothing to poll"));
    await expect(running.ended).rejects.toThrow("there is nothing to poll");
    await expect(running.stop()).rejects.toThrow("there is nothing to poll");
  });

  it("reports why, if it could not even start", async () => {
    const broken = defineOperator({
      name: "broken",
      setup: (manager) =>
        manager.add({
          name: "migration",
          needsLeadership: false,
          run: async () => {
            throw new Error("there is nothing to migrate");
          },
        }),
    });
    await expect(runOperator(broken, { access: world.cluster })).rejects.toThrow("nothing to migrate");
  });

  it("does not start without the permissions that it needs", async () => {
    const user = await world.cluster.createUser({ user: "nobody", rules: [] });
    const starting = runOperator(greeter, { access: user, adminAccess: world.cluster });
    await expect(starting).rejects.toBeInstanceOf(MissingPermissionsError);
  });

  it("reaches nothing any more once it is killed", async () => {
    const running = await runOperator(greeter, { access: world.cluster, namespaces: [namespace] });
    await running.kill();
    await greet("a");
    await expect(running.manager.liveClient.get(Greeting, { namespace, name: "a" })).rejects.toThrow();
    expect(running.manager.state).toBe("stopped");
    await running.stop();
  });
});

describe("the webhooks of an operator", () => {
  it("are called as soon as it runs, and no longer when it has ended", async () => {
    const running = await runOperator(greeter, {
      access: world.cluster,
      namespaces: [namespace],
      webhooks: true,
    });
    await expect(greet("a", "")).rejects.toThrow("it must name a person to greet");
    expect((await greet("b")).spec.words).toBe("hello");
    await settled("b");
    expect(new Set(running.writes.map(({ resource }) => resource))).toEqual(
      new Set(["configmaps", "greetings.testkit.keelson.dev"]),
    );
    await running.stop();
    await expect.poll(async () => (await greet(`c-${attempts++}`, "")).spec.words).toBeUndefined();
    expect(
      await world.cluster.kubectl(["get", "secrets,validatingwebhookconfigurations", "-A", "-o", "name"]),
    ).toBe("");
  });

  it("are left out unless they are requested", async () => {
    await using _ = await runOperator(greeter, { access: world.cluster, namespaces: [namespace] });
    expect((await greet("a", "")).spec.words).toBeUndefined();
  });
});
