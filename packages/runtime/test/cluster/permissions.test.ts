import { accessFromKubeconfig, type Client, createClient, httpTransport } from "@keelson/client";
import { type Access, type ControlPlane, startControlPlane } from "@keelson/controlplane";
import { type ApiUse, systemClock, type Transport } from "@keelson/core";
import { ConfigMap, Namespace } from "@keelson/core/kinds/core/v1";
import { faults, faultyTransport, RecordingLogger } from "@keelson/testkit";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { controller } from "../../src/controller/builder.ts";
import { Manager } from "../../src/manager/manager.ts";
import type { ManagerOptions } from "../../src/manager/manager-options.ts";
import { checkPermissions, currentUser } from "../../src/manager/permissions/check-permissions.ts";
import { MissingPermissionsError } from "../../src/manager/permissions/missing-permissions.ts";
import { neededUses } from "../../src/manager/permissions/needed-uses.ts";

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

function transportOf({ kubeconfig }: Pick<Access, "kubeconfig">): Transport {
  const transport = httpTransport(accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} }));
  closing.push(() => transport.close());
  return transport;
}

function clientOf(access: Pick<Access, "kubeconfig">): Client {
  return createClient({ transport: transportOf(access) });
}

/** A ServiceAccount of namespace `shop` that may do nothing. */
async function serviceAccount(name: string): Promise<Pick<Access, "kubeconfig">> {
  await controlPlane.kubectl(["-n", "shop", "create", "serviceaccount", name]);
  const token = (await controlPlane.kubectl(["-n", "shop", "create", "token", name])).trim();
  return {
    kubeconfig: {
      ...controlPlane.kubeconfig,
      users: (controlPlane.kubeconfig.users ?? []).map((user) => ({ ...user, user: { token } })),
    },
  };
}

/** A manager that reconciles ConfigMaps, takes part in an election, and declares that it patches Deployments in `shop`. */
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

describe("a manager whose user lacks permissions", () => {
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

      This allows all that is needed to poor;
      apply it with \`kubectl apply -f -\`:

      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRole
      metadata:
        name: "shop-operator"
      rules:
        - apiGroups: [""]
          resources: ["configmaps"]
          verbs: ["list", "watch"]
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRoleBinding
      metadata:
        name: "shop-operator"
      roleRef:
        apiGroup: rbac.authorization.k8s.io
        kind: ClusterRole
        name: "shop-operator"
      subjects:
        - kind: User
          apiGroup: rbac.authorization.k8s.io
          name: "poor"
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
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: RoleBinding
      metadata:
        namespace: "shop"
        name: "shop-operator"
      roleRef:
        apiGroup: rbac.authorization.k8s.io
        kind: Role
        name: "shop-operator"
      subjects:
        - kind: User
          apiGroup: rbac.authorization.k8s.io
          name: "poor"
      "
    `);
  });

  it.each([
    ["user", (name: string) => controlPlane.createUser({ user: name })],
    ["ServiceAccount", serviceAccount],
  ])("starts as a %s once an administrator has applied what it printed", async (kind, createIdentity) => {
    const name = `granted-${kind.toLowerCase()}`;
    const client = clientOf(await createIdentity(name));
    const start = () => {
      const manager = makeManager(client, { name });
      const stop = new AbortController();
      return { manager, running: manager.run(stop.signal), stop };
    };
    const { message } = await missingOf(start().running);
    const manifest = message.slice(message.indexOf("apiVersion:"));
    const applied = await controlPlane.kubectl(["apply", "-f", "-"], { input: manifest });
    expect(applied.split("\n").filter((line) => line !== "")).toEqual([
      expect.stringMatching(/^clusterrole\.\S+ created$/),
      expect.stringMatching(/^clusterrolebinding\.\S+ created$/),
      expect.stringMatching(/^role\.\S+ created$/),
      expect.stringMatching(/^rolebinding\.\S+ created$/),
    ]);
    // The authorizer receives roles by watches of its own.
    const { manager, running, stop } = await vi.waitFor(
      async () => {
        const started = start();
        await Promise.race([started.manager.elected, started.running]);
        return started;
      },
      { timeout: 30_000 },
    );
    expect(manager.state).toBe("leading");
    stop.abort(new Error("the test is over"));
    await running;
  });

  it("logs the missing permissions and starts nevertheless in mode `warn`", async () => {
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

  it("sends no review in mode `off`", async () => {
    const transport = faultyTransport(transportOf(await controlPlane.createUser({ user: "unasked" })));
    const manager = makeManager(createClient({ transport }), {
      permissionCheck: "off",
      leaderElection: false,
    });
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    await manager.elected;
    expect(transport.requests.filter(({ path }) => path.includes("selfsubject"))).toEqual([]);
    stop.abort(new Error("the test is over"));
    await running;
  });
});

describe("a permission check", () => {
  const pods = (verb: string): ApiUse => ({ verb, group: "", resource: "pods" });

  it("runs at most ten reviews at once", async () => {
    const inner = transportOf(controlPlane);
    let running = 0;
    let maximum = 0;
    const counting: Transport = {
      send: async (request) => {
        running += 1;
        maximum = Math.max(maximum, running);
        try {
          return await inner.send(request);
        } finally {
          running -= 1;
        }
      },
      close: () => inner.close(),
    };
    const uses = Array.from({ length: 50 }, (_, index) => pods(`verb${index}`));
    const { missing } = await checkPermissions(createClient({ transport: counting }), neededUses("me", uses));
    expect([missing, maximum]).toEqual([[], 10]);
  });

  it("distinguishes a review that failed from a use that is not allowed", async () => {
    const transport = faultyTransport(transportOf(await controlPlane.createUser({ user: "doubtful" })));
    transport.fault({}, faults.refuse("Forbidden"));
    const needed = neededUses("me", [pods("get"), pods("list")]);
    const { missing, unknown } = await checkPermissions(createClient({ transport }), needed, {
      concurrency: 1,
    });
    expect(unknown).toMatchObject([{ use: pods("get"), error: { status: { code: 403 } } }]);
    expect(missing).toEqual([{ use: pods("list"), neededBy: ["me"] }]);
  });

  it("ends with the reason of its signal", async () => {
    const reason = new Error("over");
    const check = checkPermissions(clientOf(controlPlane), neededUses("me", [pods("get")]), {
      signal: AbortSignal.abort(reason),
    });
    await expect(check).rejects.toBe(reason);
  });
});

describe("the current user", () => {
  it("has the user name that the server reports", async () => {
    expect(await currentUser(clientOf(await controlPlane.createUser({ user: "ann" })))).toBe("ann");
    expect(await currentUser(clientOf(await serviceAccount("operator")))).toBe(
      "system:serviceaccount:shop:operator",
    );
  });

  it("is unknown if the server does not report it", async () => {
    const transport = faultyTransport(transportOf(controlPlane));
    transport.fault({}, faults.refuse("NotFound"));
    expect(await currentUser(createClient({ transport }))).toBeUndefined();
  });
});
