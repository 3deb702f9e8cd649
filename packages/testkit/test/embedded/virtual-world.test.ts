import { readFile } from "node:fs/promises";
import { controller, defineOperator } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { ConfigMap } from "keelson/kinds/core/v1";
import { describe, expect, it, vi } from "vitest";
import { NotSettledError, RecordingLogger, startWorld, VirtualClock } from "../../src/index.ts";
import { until } from "../../src/operator/until.ts";
import { Greeting, greeter, nameOf } from "../support/greeter.ts";

describe("a virtual world", () => {
  it("is used as the README says", async () => {
    const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
    const recipe = await readFile(new URL("../support/virtual-recipe.ts", import.meta.url), "utf8");
    expect(readme).toContain(`\`\`\`ts\n${recipe}\`\`\``);
    await import("../support/virtual-recipe.ts");
  });

  it("runs operators and workloads while its clock is advanced, and leaves no timer behind", async () => {
    const clock = new VirtualClock();
    const world = await startWorld({ clock, nodes: 2, hollow: { readyDelayMs: 60_000 } });
    const namespace = await world.createNamespace();
    const running = await world.runOperator(greeter);
    // There are no sockets, so no program can connect to it.
    expect(running.manager.access).toBeUndefined();
    await world.client.create(Greeting, { metadata: { namespace, name: "one" }, spec: { whom: "Ann" } });
    await running.idle();
    const { data } = await world.client.get(ConfigMap, { namespace, name: nameOf("one") });
    expect(data).toEqual({ text: "hi, Ann" });
    const labels = { app: "web" };
    await world.client.create(Deployment, {
      metadata: { namespace, name: "web" },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
      },
    });
    const available = async () =>
      (await world.client.get(Deployment, { namespace, name: "web" })).status?.availableReplicas ?? 0;
    await clock.advance(59_000);
    expect(await available()).toBe(0);
    await clock.advance(2_000);
    expect(await available()).toBe(1);
    await world.stop();
    await running.ended;
    expect(clock.pendingTimers).toEqual([]);
  });
});

describe("an operator whose reconciles fail", () => {
  const failing = defineOperator({
    name: "failing",
    controllers: [
      controller(ConfigMap, { selection: { labelSelector: "failing" } }).reconcile(() => {
        throw new Error("no route to host");
      }),
    ],
  });

  it("is why something does not settle, and the error says so", async () => {
    const clock = new VirtualClock();
    await using world = await startWorld({ clock });
    const log = new RecordingLogger();
    const running = await world.runOperator(failing, { log });
    const metadata = { namespace: "default", name: "web", labels: { failing: "" } };
    await world.client.create(ConfigMap, { metadata });
    const waiting = until("wait for what never comes", () => false, {
      ...{ timeoutMs: 10_000, clock, problems: () => running.problems },
    });
    const error = await clock.runUntil(waiting).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(NotSettledError);
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^wait for what never comes: not so after 100\d\d ms; the last problems of the operator:\n {2}default\/web: reconcile failed: Error: no route to host$/,
      ),
      cause: new Error("no route to host"),
      problems: [{ key: "default/web", message: "reconcile failed" }],
    });
    expect(log.messages("error").length).toBeGreaterThan(1);
  });

  it("is shown on the console by default", async () => {
    const shown = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    await using world = await startWorld({ clock: new VirtualClock() });
    const running = await world.runOperator(failing);
    const metadata = { namespace: "default", name: "web", labels: { failing: "" } };
    await world.client.create(ConfigMap, { metadata });
    await running.idle();
    await world.stop();
    expect(shown.mock.calls.flat().join("\n")).toMatch(/ERROR reconcile failed[\s\S]*no route to host/);
    shown.mockRestore();
  });
});
