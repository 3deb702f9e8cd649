import { accessFromKubeconfig, type Client, createClient, httpTransport } from "@keelson/client";
import { type Access, type ControlPlane, startControlPlane } from "@keelson/controlplane";
import { systemClock } from "@keelson/core";
import { ConfigMap, Namespace } from "@keelson/core/kinds/core/v1";
import { rbacRules } from "@keelson/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { controller } from "../../src/controller/builder.ts";
import { Manager } from "../../src/manager/manager.ts";
import type { ManagerOptions } from "../../src/manager/manager-options.ts";
import { MissingPermissionsError } from "../../src/manager/permissions/errors.ts";
import { RecordingLogger } from "../support/leader/recording-logger.ts";

let controlPlane: ControlPlane;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  controlPlane = await startControlPlane();
  await clientOf(controlPlane).create(Namespace, { metadata: { name: "shop" } });
});
afterAll(async () => {
  for (const close of closing) await close();
  await controlPlane?.stop();
});

function clientOf({ kubeconfig }: Access): Client {
  const transport = httpTransport(accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} }));
  closing.push(() => transport.close());
  return createClient({ transport });
}

/** A manager that reconciles ConfigMaps, stands for election, and declares that it patches Deployments in `shop`. */
function makeManager(client: Client, options: Partial<ManagerOptions> = {}): Manager {
  const manager = new Manager({
    client,
    name: "shop-operator",
    metrics: { port: -1 },
    health: { port: -1 },
    leaderElection: {
      renewIn: "thread",
      lease: { namespace: "shop", name: "lock" },
      identity: "web-1",
    },
    ...options,
  });
  manager.add(
    controller(ConfigMap)
      .named("configs")
      .reconcile(() => undefined),
  );
  manager.declareUses("operator shop", [
    { verb: "patch", group: "apps", resource: "deployments", namespace: "shop" },
  ]);
  return manager;
}

async function missingOf(run: Promise<void>): Promise<MissingPermissionsError> {
  const error = await run.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (error instanceof MissingPermissionsError) return error;
  throw new Error(`no permission was missing: ${String(error)}`);
}

describe("a manager whose user may not do what it needs", () => {
  it("does not start, and lists everything that is missing at once, with the roles that allow it", async () => {
    const user = await controlPlane.createUser({
      user: "poor",
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }],
    });
    const { missing, message } = await missingOf(
      makeManager(clientOf(user)).run(new AbortController().signal),
    );
    expect(missing.map(({ use, neededBy }) => `${use.verb} by ${neededBy.join()}`)).toEqual([
      "get by leader election",
      "create by leader election",
      "update by leader election",
      "watch by controller configs",
      "patch by operator shop",
    ]);
    expect(message).toMatchInlineSnapshot(`
      "start: 5 permissions are missing; grant what is listed here

      VERBS              RESOURCE                        NAMESPACE  NEEDED BY
      get,create,update  leases.coordination.k8s.io      shop       leader election
                         lock
      watch              configmaps                      (all)      controller configs
      patch              deployments.apps                shop       operator shop

      These roles allow it, once they are bound to the user of this program:

      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRole
      metadata:
        name: "shop-operator"
      rules:
        - apiGroups: [""]
          resources: ["configmaps"]
          verbs: ["watch"]
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: Role
      metadata:
        namespace: "shop"
        name: "shop-operator"
      rules:
        - apiGroups: ["apps"]
          resources: ["deployments"]
          verbs: ["patch"]
        - apiGroups: ["coordination.k8s.io"]
          resources: ["leases"]
          resourceNames: ["lock"]
          verbs: ["get", "update"]
        - apiGroups: ["coordination.k8s.io"]
          resources: ["leases"]
          verbs: ["create"]
      "
    `);
  });

  it("starts once the roles that it listed are granted", async () => {
    const poor = await controlPlane.createUser({ user: "granted-nothing" });
    const { missing } = await missingOf(makeManager(clientOf(poor)).run(new AbortController().signal));
    const user = await controlPlane.createUser({
      user: "granted",
      rules: rbacRules(missing.map(({ use }) => use)),
    });
    const manager = makeManager(clientOf(user));
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    await Promise.race([manager.elected, running]);
    expect(manager.state).toBe("leading");
    stop.abort(new Error("the test is over"));
    await running;
  });

  it("says so and starts nevertheless if it is told to", async () => {
    const user = await controlPlane.createUser({ user: "warned" });
    const log = new RecordingLogger();
    const stop = new AbortController();
    const manager = makeManager(clientOf(user), { permissionCheck: "warn", log, leaderElection: false });
    const running = manager.run(stop.signal);
    await manager.elected;
    expect(log.messages("warn")[0]).toMatch(/^start: 3 permissions are missing; .*\n\nVERBS/);
    stop.abort(new Error("the test is over"));
    await running;
  });
});
