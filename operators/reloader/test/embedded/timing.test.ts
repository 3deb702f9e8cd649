import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { VirtualSpace } from "../support/virtual-space.ts";

const auto = { "reloader.stakater.com/auto": "true" };
const minuteMs = 60_000;

let at: VirtualSpace;
beforeAll(async () => {
  at = await VirtualSpace.start({
    circuitBreakerReloads: 3,
    circuitBreakerWindow: "10m",
    metricsByNamespace: true,
  });
});
beforeEach(() => at.enterNamespace());
afterAll(() => at?.[Symbol.asyncDispose]());

describe("several changes", () => {
  it("within a short time become one rollout", async () => {
    await at.deploy("web", auto);
    await at.setSecret("web", "1");
    await at.setConfigMap("web", "1");
    await at.passes(300);
    await at.setSecret("web", "2");
    await at.settled();
    expect(await at.rollouts("web")).toBe(1);
    expect(await at.record("web")).toMatchObject({
      reloadCount: 1,
      lastReload: { resources: [`${at.namespace}/ConfigMap/web`, `${at.namespace}/Secret/web`] },
    });
    await at.restartOperator();
    expect(await at.rollouts("web")).toBe(1);
  });

  it("of which the last one sets the content back cause no rollout", async () => {
    await at.deploy("web", auto);
    await at.setSecret("web", "1");
    await at.passes(300);
    await at.setSecret("web", "0");
    await at.settled();
    expect(await at.rollouts("web")).toBe(0);
    expect((await at.record("web")).pending).toBeUndefined();
  });
});

describe("a pause period", () => {
  it("lets the first change through, and rolls the others out together when it is over, also after a restart", async () => {
    await at.deploy("web");
    await at.configure("web", {
      watchedResources: { secrets: ["web"] },
      targets: [{ kind: "Deployment", name: "web", pausePeriod: "10m" }],
    });
    await at.setSecret("web", "1");
    await at.settled();
    expect(await at.rollouts("web")).toBe(1);
    for (const value of ["2", "3"]) {
      await at.setSecret("web", value);
      await at.settled();
    }
    expect(await at.rollouts("web")).toBe(1);
    expect((await at.record("web")).pending).toMatchObject({ reason: "Paused" });
    await at.restartOperator();
    await at.passes(8 * minuteMs);
    expect(await at.rollouts("web")).toBe(1);
    await at.passes(3 * minuteMs);
    expect(await at.rollouts("web")).toBe(2);
    expect((await at.record("web")).pending).toBeUndefined();
    await at.passes(11 * minuteMs);
    expect(await at.rollouts("web")).toBe(2);
    for (const kind of ["Deployment", "ReloaderConfig"])
      expect(await at.eventsAbout(kind, "web")).toEqual(expect.arrayContaining(["ReloadPaused", "Reloaded"]));
  });

  it("that is over while no operator runs is followed by the trailing reload of the next one", async () => {
    await at.deploy("web");
    await at.configure("web", {
      watchedResources: { secrets: ["web"] },
      targets: [{ kind: "Deployment", name: "web", pausePeriod: "5m" }],
    });
    await at.setSecret("web", "1");
    await at.settled();
    await at.stopOperator();
    await at.setSecret("web", "2");
    await at.passes(6 * minuteMs);
    expect(await at.rollouts("web")).toBe(1);
    await at.startOperator();
    expect(await at.rollouts("web")).toBe(2);
  });
});

describe("a restart window", () => {
  const often = {
    ...auto,
    "reloader.stakater.com/window-schedule": "*/10 * * * *",
    "reloader.stakater.com/window-duration": "2m",
  };
  beforeEach(() => at.passesUntilMinute(5));

  it("lets changes wait, over a restart, and rolls them out once when it opens; its end does nothing", async () => {
    await at.deploy("web", often);
    await at.setSecret("web", "1");
    await at.settled();
    expect(await at.rollouts("web")).toBe(0);
    expect((await at.record("web")).pending).toMatchObject({
      ...{ reason: "OutsideWindow", until: at.nextMinute(0) },
      resources: [`${at.namespace}/Secret/web`],
    });
    await at.setConfigMap("web", "1");
    await at.restartOperator();
    await at.passesUntilMinute(9);
    expect(await at.rollouts("web")).toBe(0);
    await at.passesUntilMinute(1);
    expect(await at.rollouts("web")).toBe(1);
    expect(await at.record("web")).toMatchObject({ reloadCount: 1 });
    await at.passesUntilMinute(3);
    await at.restartOperator();
    await at.passes(minuteMs);
    expect(await at.rollouts("web")).toBe(1);
    expect(await at.eventsAbout("Deployment", "web")).toEqual(
      expect.arrayContaining(["ReloadWaiting", "Reloaded"]),
    );
  });

  it("that is open rolls out a change at once", async () => {
    await at.passesUntilMinute(1);
    await at.deploy("web", often);
    await at.setSecret("web", "1");
    await at.settled();
    expect(await at.rollouts("web")).toBe(1);
  });

  it("of a ReloaderConfig holds for its targets, and a change that is set back outside of it causes nothing", async () => {
    await at.deploy("web");
    await at.configure("web", {
      watchedResources: { secrets: ["web"] },
      targets: [{ kind: "Deployment", name: "web" }],
      windows: [{ schedule: "*/10 * * * *", duration: "1m", timeZone: "Europe/Berlin" }],
    });
    await at.setSecret("web", "1");
    await at.settled();
    expect((await at.record("web")).pending).toMatchObject({ until: at.nextMinute(0) });
    await at.setSecret("web", "0");
    await at.settled();
    expect((await at.record("web")).pending).toBeUndefined();
    await at.passesUntilMinute(3);
    expect(await at.rollouts("web")).toBe(0);
  });

  it("that was missed while no operator ran is waited for again", async () => {
    await at.deploy("web", often);
    await at.setSecret("web", "1");
    await at.settled();
    await at.stopOperator();
    await at.passesUntilMinute(3);
    await at.startOperator();
    expect(await at.rollouts("web")).toBe(0);
    expect((await at.record("web")).pending).toMatchObject({ until: at.nextMinute(0) });
    await at.passesUntilMinute(1);
    expect(await at.rollouts("web")).toBe(1);
  });

  it("that cannot be read never opens, until it is corrected", async () => {
    await at.deploy("web", { ...often, "reloader.stakater.com/window-schedule": "at night" });
    await at.setSecret("web", "1");
    await at.settled();
    expect(await at.rollouts("web")).toBe(0);
    expect(await at.eventsAbout("Deployment", "web")).toEqual(["InvalidAnnotation", "WindowNeverOpens"]);
    expect(await at.operator.metrics()).toContain("keelson_reloader_never_due_workloads 1\n");
    await at.annotate("web", { "reloader.stakater.com/window-schedule": "*/10 * * * *" });
    await at.settled();
    expect((await at.record("web")).pending).toMatchObject({ until: at.nextMinute(0) });
    await at.annotate("web", { "reloader.stakater.com/window-schedule": "* * * * *" });
    await at.settled();
    expect(await at.rollouts("web")).toBe(1);
  });
});

describe("a circuit breaker", () => {
  it("stops a workload that is reloaded too often, reports it, and rolls out the last change when it closes", async () => {
    await at.deploy("web", auto);
    for (let change = 1; change <= 5; change++) {
      await at.setSecret("web", String(change));
      await at.passes(20_000);
    }
    expect(await at.rollouts("web")).toBe(3);
    const record = await at.record("web");
    expect(record.pending).toMatchObject({ reason: "CircuitOpen" });
    expect(record.conditions).toMatchObject([{ type: "UpToDate", status: "False", reason: "CircuitOpen" }]);
    expect(await at.eventsAbout("Deployment", "web")).toContain("CircuitOpened");
    expect(await at.operator.metrics()).toContain("keelson_reloader_circuit_breakers_open 1\n");
    await at.restartOperator();
    expect(await at.operator.metrics()).toContain("keelson_reloader_circuit_breakers_open 1\n");
    await at.passes(11 * minuteMs);
    expect(await at.rollouts("web")).toBe(4);
    const after = await at.record("web");
    expect(after.pending).toBeUndefined();
    expect(after.conditions).toMatchObject([{ type: "UpToDate", status: "True" }]);
    expect(await at.eventsAbout("Deployment", "web")).toContain("CircuitClosed");
    expect(await at.operator.metrics()).toContain("keelson_reloader_circuit_breakers_open 0\n");
  });
});

describe("the mode notify", () => {
  it("reports changes within a short time together", async () => {
    await at.deploy("web", { ...auto, "reloader.stakater.com/mode": "notify" });
    await at.setSecret("web", "1");
    await at.passes(300);
    await at.setConfigMap("web", "1");
    await at.settled();
    const [message, ...others] = await at.messagesOf("Deployment", "web", "ChangeNotified");
    expect(others).toEqual([]);
    expect(message).toContain("'web' of type 'CONFIGMAP'");
    expect(message).toContain("'web' of type 'SECRET'");
  });

  it("reports a change once, and leaves the workload as it is", async () => {
    await at.deploy("web", { ...auto, "reloader.stakater.com/mode": "notify" });
    await at.setSecret("web", "1");
    await at.settled();
    await at.restartOperator();
    await at.passes(minuteMs);
    expect(await at.rollouts("web")).toBe(0);
    expect(await at.eventsAbout("Deployment", "web")).toEqual(["ChangeNotified"]);
    expect((await at.record("web")).reloadCount).toBeUndefined();
  });
});

describe("upstream's pause period of a Deployment", () => {
  const period = "deployment.reloader.stakater.com/pause-period";
  const pausedAt = "deployment.reloader.stakater.com/paused-at";
  const pausing = { ...auto, [period]: "10m" };

  it("pauses it with the first change, collects others, and rolls them out together, also after a restart", async () => {
    await at.deploy("web", pausing);
    await at.setSecret("web", "1");
    await at.settled();
    expect(await at.isPaused("web")).toBe(true);
    expect((await at.deployment("web")).metadata.annotations?.[pausedAt]).toMatch(/^2026-06-1.*:\d\dZ$/);
    await at.restartOperator();
    await at.setConfigMap("web", "1");
    await at.settled();
    expect(await at.rollouts("web")).toBe(0);
    await at.stopOperator();
    await at.passes(11 * minuteMs);
    expect(await at.isPaused("web")).toBe(true);
    await at.startOperator();
    expect(await at.isPaused("web")).toBe(false);
    expect((await at.deployment("web")).metadata.annotations?.[pausedAt]).toBeUndefined();
    expect(await at.rollouts("web")).toBe(1);
    await at.passes(minuteMs);
    expect(await at.rollouts("web")).toBe(1);
    expect(await at.eventsAbout("Deployment", "web")).toEqual(
      expect.arrayContaining(["RolloutPaused", "RolloutResumed"]),
    );
  });

  it("collects any number of changes, which the circuit breaker does not count", async () => {
    await at.deploy("web", pausing);
    for (let change = 1; change <= 5; change++) {
      await at.setSecret("web", String(change));
      await at.settled();
    }
    expect(await at.record("web")).toMatchObject({ reloadCount: 5, recentReloads: [expect.any(String)] });
    await at.passes(11 * minuteMs);
    expect(await at.rollouts("web")).toBe(1);
  });

  it("ends at its time without a restart", async () => {
    await at.deploy("web", pausing);
    await at.setSecret("web", "1");
    await at.passes(9 * minuteMs);
    expect(await at.rollouts("web")).toBe(0);
    await at.passes(2 * minuteMs);
    expect(await at.rollouts("web")).toBe(1);
    expect(await at.isPaused("web")).toBe(false);
  });

  it("respects the pause of a user", async () => {
    await at.deploy("web", pausing);
    await at.change("web", { spec: { paused: true } });
    await at.setSecret("web", "1");
    await at.passes(11 * minuteMs);
    expect(await at.isPaused("web")).toBe(true);
    await at.change("web", { spec: { paused: false } });
    await at.settled();
    expect(await at.rollouts("web")).toBe(1);
    expect(await at.isPaused("web")).toBe(false);
  });

  it("that upstream has begun is ended", async () => {
    await at.deploy("web", pausing);
    await at.stopOperator();
    const time = new Date(at.world.clock.now()).toISOString();
    await at.change("web", { metadata: { annotations: { [pausedAt]: time } }, spec: { paused: true } });
    await at.startOperator();
    expect(await at.isPaused("web")).toBe(true);
    await at.passes(11 * minuteMs);
    expect(await at.isPaused("web")).toBe(false);
    expect(await at.rollouts("web")).toBe(0);
  });

  it.each([
    ["its annotation is removed", { [period]: null }],
    ["all annotations are removed", { [period]: null, "reloader.stakater.com/auto": null }],
    ["its annotation cannot be read any more", { [period]: "ten minutes" }],
  ])("ends when %s", async (_what, annotations) => {
    await at.deploy("web", pausing);
    await at.setSecret("web", "1");
    await at.settled();
    expect(await at.isPaused("web")).toBe(true);
    await at.annotate("web", annotations);
    await at.settled();
    expect(await at.isPaused("web")).toBe(false);
    expect(await at.rollouts("web")).toBe(1);
  });

  it("that cannot be read is reported, and the reload happens without a pause", async () => {
    await at.deploy("web", { ...auto, [period]: "ten minutes" });
    await at.setSecret("web", "1");
    await at.settled();
    expect(await at.rollouts("web")).toBe(1);
    expect(await at.isPaused("web")).toBe(false);
    expect(await at.eventsAbout("Deployment", "web")).toEqual(["InvalidAnnotation", "Reloaded"]);
  });
});

describe("the metrics of the operator", () => {
  it("have upstream's names, and count a reload once", async () => {
    await at.restartOperator();
    await at.deploy("web", auto);
    await at.setSecret("web", "1");
    await at.settled();
    const text = await at.operator.metrics();
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name);
    expect(names.filter((name) => name.startsWith("reloader_")).sort()).toEqual([
      "reloader_action_latency_seconds",
      "reloader_action_total",
      "reloader_events_processed_total",
      "reloader_events_received_total",
      "reloader_reconcile_duration_seconds",
      "reloader_reconcile_total",
      "reloader_reload_executed_total",
      "reloader_reload_executed_total_by_namespace",
      "reloader_retries_total",
      "reloader_workloads_matched_total",
      "reloader_workloads_scanned_total",
      "reloader_workqueue_adds_total",
      "reloader_workqueue_depth",
      "reloader_workqueue_latency_seconds",
    ]);
    expect(names).toContain("rest_client_requests_total");
    const lines = text.split("\n");
    expect(lines).toEqual(
      expect.arrayContaining([
        'reloader_reload_executed_total{success="true"} 1',
        'reloader_reload_executed_total{success="false"} 0',
        `reloader_reload_executed_total_by_namespace{success="true",namespace="${at.namespace}"} 1`,
        'reloader_action_total{workload_kind="Deployment",result="success"} 1',
        'reloader_workloads_matched_total{kind="Deployment"} 1',
        "reloader_workqueue_depth 0",
        'keelson_reloader_changes_total{resource_kind="Secret",workload_kind="Deployment",change="updated",origin="annotations",strategy="env-vars",outcome="reloaded"} 1',
      ]),
    );
  });
});
