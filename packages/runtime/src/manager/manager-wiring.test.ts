import { PerformanceObserver } from "node:perf_hooks";
import { isRecord, type Transport } from "@keelson/core";
import { ConfigMap, Node } from "@keelson/core/kinds/core/v1";
import { describe, expect, it, vi } from "vitest";
import { LeaseStore } from "../../test/support/leader/lease-store.ts";
import { ends, makeDefinition, managerWorld } from "../../test/support/manager/manager-world.ts";
import { enqueueMapped } from "../source/handlers.ts";
import { kindSource } from "../source/kind-source.ts";
import { admission } from "../webhook/admission.ts";
import type { LeaderElectionOptions } from "./election.ts";
import type { BufferedEvents } from "./manager-options.ts";
import { MissingPermissionsError } from "./permissions/missing-permissions.ts";

const leaderElection: LeaderElectionOptions = {
  renewIn: "thread",
  lease: { namespace: "ops", name: "lock" },
  identity: "web-1",
};
const noEvents: BufferedEvents = {
  record: () => undefined,
  flush: async () => undefined,
  stop: () => undefined,
};
const managed = {
  secret: { namespace: "ops", name: "certificates" },
  name: "hooks",
  endpoint: { service: { namespace: "ops", name: "hooks" } },
};

/** A server that allows nothing, and the uses that it reviewed, such as `create events ops`. */
function denyingServer(): { readonly transport: Transport; readonly reviewed: string[] } {
  const reviewed: string[] = [];
  const transport: Transport = {
    send: async ({ body }) => {
      const review: unknown = JSON.parse(body ?? "{}");
      const spec = isRecord(review) && isRecord(review.spec) ? review.spec : {};
      const at = isRecord(spec.resourceAttributes) ? spec.resourceAttributes : {};
      reviewed.push([at.verb, at.resource, at.namespace].join(" ").trim());
      const response = Buffer.from(JSON.stringify({ ...Object(review), status: { allowed: false } }));
      return {
        status: 201,
        headers: { "content-type": "application/json" },
        body: (async function* () {
          yield response;
        })(),
      };
    },
    close: async () => undefined,
  };
  return { transport, reviewed };
}

describe("the permission check of a manager", () => {
  it("includes the uses of webhooks only if there are webhooks", async () => {
    const { transport, reviewed } = denyingServer();
    const options = { transport, permissionCheck: "fail", webhooks: { certificates: managed } } as const;
    const world = managerWorld(options);
    world.manager.addWebhooks({ admissions: [admission(ConfigMap).validate(() => undefined)] });
    await world.start();
    await expect(world.running).rejects.toThrow(MissingPermissionsError);
    expect(reviewed).toEqual(
      expect.arrayContaining(["get secrets ops", "patch validatingwebhookconfigurations"]),
    );

    reviewed.length = 0;
    const without = managerWorld(options);
    await without.start();
    expect(without.manager.state).toBe("leading");
    expect(reviewed).toEqual([]);
    await without.stop();
    await ends(without);
  });

  it("includes Events in the namespace of the Lease, and in the one of Events about cluster-scoped objects", async () => {
    const { transport, reviewed } = denyingServer();
    const world = managerWorld({
      ...{ transport, leaderElection, events: noEvents, permissionCheck: "fail" },
      cache: { defaults: { namespaces: { shop: {} } } },
    });
    world.manager.add({
      ...makeDefinition(() => undefined),
      sources: [kindSource({ resource: Node, handler: enqueueMapped(() => ["one"]) })],
    });
    await world.start();
    await expect(world.running).rejects.toThrow(MissingPermissionsError);
    expect(reviewed.filter((use) => use.includes("events"))).toEqual([
      ...["create events shop", "patch events shop"],
      ...["create events default", "patch events default"],
      ...["create events ops", "patch events ops"],
    ]);
    expect(reviewed).toContain("update leases ops");
  });

  it("logs one line, since `run` rejects with the whole report", async () => {
    const { transport } = denyingServer();
    const world = managerWorld({ transport, permissionCheck: "fail", events: noEvents });
    await world.start();
    await expect(world.running).rejects.toThrow(MissingPermissionsError);
    expect(JSON.stringify(world.log.lines)).not.toContain("apiVersion");
    expect(world.log.lines).toContainEqual(
      expect.objectContaining({
        level: "error",
        fields: { part: "start", reason: "start: 2 permissions are missing; grant what is listed here" },
      }),
    );
  });
});

describe("the metrics and health of a manager", () => {
  it("[MX5] include its informers", async () => {
    const world = managerWorld();
    world.manager.cache.acquire(ConfigMap);
    await world.start();
    expect((await world.ports.get(8080, "/metrics")).text).toMatch(/^informer_objects\{.*configmaps.*\} 0$/m);
    await world.stop();
    await ends(world);
  });

  it("[RW1] include the cached reads that were sent to the server", async () => {
    const world = managerWorld();
    await world.start();
    world.manager.cache.reportStaleRead({ resource: ConfigMap, operation: "get configmaps shop/web" });
    const { text } = await world.ports.get(8080, "/metrics");
    expect(text).toMatch(/^cache_stale_reads_total\{resource="configmaps"\} 1$/m);
    await world.stop();
    await ends(world);
  });

  it("[MG8] share a server if they have the same port", async () => {
    const world = managerWorld({ metrics: { port: 9090 }, health: { port: 9090 } });
    await world.start();
    expect((await world.ports.get(9090, "/metrics")).text).toContain("# HELP");
    for (const path of ["/live", "/healthz", "/readyz?exclude=started"])
      expect(await world.ports.get(9090, path)).toEqual({ status: 200, text: "ok" });
    expect(await world.ports.get(9090, "/other")).toMatchObject({ status: 404 });
    expect(world.history.filter((line) => line.startsWith("open"))).toEqual(["open 9090"]);
    await world.stop();
    await ends(world);
  });

  it("[LE10] [MG8] include the Lease in liveness, and the cache in readiness", async () => {
    const world = managerWorld({ transport: new LeaseStore(), leaderElection });
    await world.start();
    expect(await world.ports.get(8081, "/healthz/lease")).toEqual({ status: 200, text: "ok" });
    expect(await world.ports.get(8081, "/readyz/cache")).toEqual({ status: 200, text: "ok" });
    await world.stop();
    await ends(world);

    const unsynced = managerWorld();
    unsynced.manager.cache.acquire(ConfigMap);
    await unsynced.start();
    expect(await unsynced.ports.get(8081, "/readyz/cache")).toMatchObject({ status: 500 });
    expect(await unsynced.ports.get(8081, "/healthz/lease")).toMatchObject({ status: 404 });
    await unsynced.stop();
    await ends(unsynced);
  });

  it("[MG10] end with it: no performance observer is left", async () => {
    const disconnect = vi.spyOn(PerformanceObserver.prototype, "disconnect");
    const world = managerWorld();
    await world.start();
    expect(disconnect).not.toHaveBeenCalled();
    await world.stop();
    await ends(world);
    expect(disconnect).toHaveBeenCalledTimes(1);
    disconnect.mockRestore();
  });
});
