import { accessFromKubeconfig, type Client, createClient, httpTransport } from "@keelson/client";
import { type ControlPlane, startControlPlane } from "@keelson/controlplane";
import { systemClock } from "@keelson/core";
import { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import { Lease } from "@keelson/core/kinds/coordination/v1";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { controller } from "../../src/controller/builder.ts";
import { LeadershipLostError } from "../../src/leader/errors.ts";
import { Manager } from "../../src/manager/manager.ts";
import type { ManagerOptions, ServerName } from "../../src/manager/manager-options.ts";
import { conversion } from "../../src/webhook/conversion.ts";
import { Gadget, gadgetDefinition, OldGadget } from "../support/gadgets.ts";
import type { ProgramSettings } from "../support/manager/program-lines.ts";
import { ProgramProcess } from "../support/manager/program-process.ts";

/** For the start of processes on a busy machine, which is not part of the measurement. */
const startTimeoutMs = 90_000;
/** Also for a busy machine; a wait for the grace period or for the end of a Lease would take longer. */
const atOnceMs = 12_000;

let controlPlane: ControlPlane;
let client: Client;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  controlPlane = await startControlPlane();
  const { kubeconfig } = controlPlane;
  const transport = httpTransport(accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} }));
  closing.push(() => transport.close());
  client = createClient({ transport });
});
afterAll(async () => {
  for (const close of closing) await close();
  await controlPlane?.stop();
});

function startProgram(
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  settings: Omit<ProgramSettings, "kubeconfigPath">,
): ProgramProcess {
  const program = new ProgramProcess({ kubeconfigPath: controlPlane.kubeconfigPath, ...settings });
  onTestFinished(() => program.kill());
  return program;
}

/** A manager in this process, on free ports. It is stopped at the end of the test. */
function makeManager(
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  options: Partial<ManagerOptions> = {},
) {
  const ports = new Map<ServerName, number>();
  const endpoint = { host: "127.0.0.1", port: 0 };
  const manager = new Manager({
    client,
    metrics: endpoint,
    health: endpoint,
    onListening: (server, port) => void ports.set(server, port),
    ...options,
  });
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  onTestFinished(async () => {
    stop.abort(new Error("the test is over"));
    await running.catch(() => undefined);
  });
  const get = async (server: ServerName, path: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${ports.get(server)}${path}`);
    return `${response.status} ${await response.text()}`;
  };
  const run = (): Promise<void> => {
    running = manager.run(stop.signal);
    running.catch(() => undefined);
    return running;
  };
  return { manager, ports, get, run, stop: () => stop.abort(new Error("the test stops it")) };
}

describe("an operator as a process", { timeout: 300_000 }, () => {
  it("[MG9] [MG10] [CT14] exits with code 0 on SIGTERM: 50 running reconciles are aborted, and nothing is left behind", async (test) => {
    const program = startProgram(test, { identity: "fifty", reconciles: 50 });
    await expect.poll(() => program.of("reconciling").length, { timeout: startTimeoutMs }).toBe(50);
    expect(program.of("listening").map(({ server }) => server)).toEqual(["metrics", "health"]);
    const signalledMs = performance.now();
    program.signal("SIGTERM");
    expect(await program.exited).toBe(0);
    expect(performance.now() - signalledMs).toBeLessThan(atOnceMs);
    expect(new Set(program.of("aborted").map(({ key }) => key)).size).toBe(50);
    expect(program.of("ended")).toEqual([{ type: "ended", left: [] }]);
  });

  it("[MG9] exits at once with code 1 on the second signal", async (test) => {
    const program = startProgram(test, { identity: "twice", reconciles: 1, isStubborn: true });
    await expect.poll(() => program.of("reconciling").length, { timeout: startTimeoutMs }).toBe(1);
    program.signal("SIGTERM");
    await expect.poll(() => program.of("aborted").length).toBe(1);
    const signalledMs = performance.now();
    program.signal("SIGTERM");
    expect(await program.exited).toBe(1);
    expect(performance.now() - signalledMs).toBeLessThan(atOnceMs);
    expect(program.of("failed")).toEqual([]);
  });

  it("[MG3] names what has not ended after the grace period", async (test) => {
    const program = startProgram(test, { identity: "late", reconciles: 1, isStubborn: true, graceMs: 500 });
    await expect.poll(() => program.of("reconciling").length, { timeout: startTimeoutMs }).toBe(1);
    program.signal("SIGINT");
    expect(await program.exited).toBe(1);
    expect(program.of("failed")).toMatchObject([{ message: expect.stringContaining("controller late") }]);
  });

  it("[MG2] [MG6] reconciles in one replica only, and in the next one as soon as the first has ended", async (test) => {
    const settings = { reconciles: 1, lease: "hand-over" };
    const first = startProgram(test, { ...settings, identity: "first" });
    await expect.poll(() => first.of("reconciling").length, { timeout: startTimeoutMs }).toBe(1);
    const second = startProgram(test, { ...settings, identity: "second" });
    await expect.poll(() => second.of("listening").length, { timeout: startTimeoutMs }).toBe(2);
    const health = second.of("listening").find(({ server }) => server === "health")?.port;
    const isReady = async (): Promise<number> => (await fetch(`http://127.0.0.1:${health}/readyz`)).status;
    await expect.poll(isReady, { timeout: startTimeoutMs }).toBe(200);
    expect(second.of("reconciling")).toEqual([]);
    const signalledMs = performance.now();
    first.signal("SIGTERM");
    expect(await first.exited).toBe(0);
    await expect.poll(() => second.of("reconciling").length).toBe(1);
    expect(performance.now() - signalledMs).toBeLessThan(atOnceMs);
    expect(first.of("ended")).toEqual([{ type: "ended", left: [] }]);
    second.signal("SIGTERM");
    expect(await second.exited).toBe(0);
  });
});

describe("a manager", { timeout: 60_000 }, () => {
  it("[MG8] serves health and metrics only while it runs", async (test) => {
    const { manager, get, run, stop, ports } = makeManager(test);
    manager.add(
      controller(ConfigMap)
        .named("served")
        .reconcile(() => undefined),
    );
    const running = run();
    await expect.poll(() => get("health", "/readyz").catch(String)).toBe("200 ok");
    expect(await get("health", "/healthz")).toBe("200 ok");
    expect(await get("health", "/readyz/watches")).toBe("200 ok");
    await expect
      .poll(() => get("metrics", "/metrics"))
      .toContain('controller_runtime_reconcile_total{controller="served",result="success"}');
    expect(await get("metrics", "/debug/why")).toMatch(/^404 /);
    stop();
    await running;
    expect(ports.size).toBe(2);
    await expect(get("health", "/healthz")).rejects.toThrow("fetch failed");
    await expect(get("metrics", "/metrics")).rejects.toThrow("fetch failed");
  });

  it("[MG1] serves the conversion webhook before its cache lists objects that need a conversion", async (test) => {
    await client.create(CustomResourceDefinition, gadgetDefinition);
    await expect
      .poll(() =>
        client.create(Gadget, { metadata: { namespace: "default", name: "web" }, spec: { size: 3 } }),
      )
      .toBeDefined();
    // No server listens there: lists of the old version fail until the manager has configured its own address.
    await client.apply(CustomResourceDefinition, convertedNowhere(), {
      fieldOwner: "installer",
      force: true,
    });
    await expect
      .poll(() => client.list(OldGadget, { namespace: "default" }).then(() => "listed", String))
      .toMatch(/conversion webhook/);
    const { manager, run, stop } = makeManager(test, {
      webhooks: {
        host: "127.0.0.1",
        port: 0,
        certificates: {
          secret: { namespace: "default", name: "conversion" },
          name: "conversion",
          endpoint: (port) => ({ url: `https://127.0.0.1:${port}` }),
        },
      },
    });
    manager.addWebhooks({
      conversions: [
        conversion(Gadget).spoke(OldGadget, {
          toHub: ({ spec }) => ({ spec: { size: Number(spec.width) } }),
          fromHub: ({ spec }) => ({ spec: { width: String(spec.size) } }),
        }),
      ],
      converted: [Gadget],
    });
    // The start of caches waits for this informer, which cannot sync before the webhook is served.
    const lease = manager.cache.acquire(OldGadget);
    const widths: string[] = [];
    manager.add(
      controller(OldGadget)
        .named("old")
        .reconcile(({ object }) => void widths.push(object.spec.width)),
    );
    const running = run();
    await expect.poll(() => widths, { timeout: 45_000 }).toEqual(["3"]);
    expect(lease.list()).toHaveLength(1);
    stop();
    await running;
  });

  it("[MG7] ends with a LeadershipLostError when another holder takes its Lease", async (test) => {
    const lease = { namespace: "default", name: "stolen" };
    const { manager, run } = makeManager(test, {
      leaderElection: { renewIn: "thread", lease, identity: "owner", retryPeriodMs: 500 },
    });
    const running = run();
    await manager.elected;
    const found = await client.get(Lease, lease);
    const renewTime = new Date(Date.now()).toISOString().replace("Z", "000Z");
    await client
      .update(Lease, { ...found, spec: { ...found.spec, holderIdentity: "thief", renewTime } })
      .catch(
        // It was renewed in between; kubectl takes it without a version.
        () =>
          controlPlane.kubectl([
            ...["patch", "lease", "stolen", "--namespace=default", "--type=merge"],
            `--patch={"spec":{"holderIdentity":"thief","renewTime":"${renewTime}"}}`,
          ]),
      );
    await expect(running).rejects.toThrow(LeadershipLostError);
    expect(manager.state).toBe("stopped");
    expect((await client.get(Lease, lease)).spec?.holderIdentity).toBe("thief");
  });
});

function convertedNowhere() {
  return {
    metadata: { name: "gadgets.example.com" },
    spec: {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://127.0.0.1:1/convert" }, conversionReviewVersions: ["v1"] },
      },
    },
  };
}
