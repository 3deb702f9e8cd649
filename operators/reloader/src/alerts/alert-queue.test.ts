import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { RecordingLogger, VirtualClock } from "@keelson/testkit";
import type { KubeObject, Stored } from "keelson";
import { sendPost } from "keelson/client";
import { MetricsRegistry } from "keelson/telemetry";
import { describe, expect, it, onTestFinished } from "vitest";
import { reloadAlert } from "../../test/support/alerts.ts";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import type { AlertChannel } from "./alert-channel.ts";
import { AlertMetrics } from "./alert-metrics.ts";
import { AlertQueue, type AlertQueueOptions } from "./alert-queue.ts";
import { anyUrl } from "./alert-url.ts";
import { jsonPayload } from "./payload.ts";
import type { SendPost } from "./timed-post.ts";

const reloaderConfig: Stored<ReloaderConfig> = {
  apiVersion: "reloader.stakater.com/v1alpha1",
  kind: "ReloaderConfig",
  metadata: {
    ...{ namespace: "shop", name: "web", uid: "1", resourceVersion: "1", generation: 1 },
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
  spec: {
    ...{ autoReloadAll: false, reloadOnCreate: false, reloadOnDelete: false, mode: "reload" },
  },
};

const token = "very-secret-token";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** An endpoint and a running queue, on a clock that stands still while requests are under way that will be answered. */
async function start(options: Omit<AlertQueueOptions, "metrics"> & { readonly isRunning?: boolean } = {}) {
  const received: { readonly path: string; readonly body: string }[] = [];
  const answers = new Map<string, Answer>();
  let calls = 0;
  let unanswered = 0;
  const server = createServer(async (request, response) => {
    const path = request.url?.split("?")[0] ?? "";
    received.push({ path, body: await text(request) });
    const answer = answers.get(path);
    if (answer === undefined) unanswered++;
    else answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const clock = new VirtualClock({
    settle: async () => {
      do await setImmediate();
      while (calls > unanswered);
      for (let round = 0; round < 10; round++) await setImmediate();
    },
  });
  const countedPost: SendPost = async (post) => {
    calls++;
    try {
      return await sendPost(post);
    } catch (error) {
      if (post.signal.aborted) unanswered--;
      throw error;
    } finally {
      calls--;
    }
  };
  const registry = new MetricsRegistry();
  const log = new RecordingLogger();
  const events: string[] = [];
  const queue = new AlertQueue({ ...options, metrics: new AlertMetrics(registry) });
  const stop = new AbortController();
  const run = () =>
    queue.run(stop.signal, {
      ...{ sendPost: countedPost, clock, log, additionalInfo: undefined, proxyUrl: undefined },
      random: { next: () => 0 },
      readSecret: async () => undefined,
      ...{ timeoutMs: 10_000, attempts: 5 },
      events: { record: (_: KubeObject, { message }) => void events.push(message) },
    });
  const { isRunning = true } = options;
  let running: Promise<void> | undefined = isRunning ? run() : undefined;
  onTestFinished(async () => {
    stop.abort();
    if (running !== undefined) await clock.runUntil(running);
    server.closeAllConnections();
    await server[Symbol.asyncDispose]();
  });
  return {
    ...{ queue, clock, received, log, events, registry },
    /** How requests to a path are answered; without this they are not. */
    answer: (path: string, answer: Answer) => void answers.set(path, answer),
    channel: (path: string): AlertChannel => ({
      ...{ type: "customWebhook", id: path, config: undefined, urls: anyUrl, payloadOf: jsonPayload },
      url: { type: "value", url: `http://127.0.0.1:${port}${path}?token=${token}` },
    }),
    run: () => {
      running = run();
      return running;
    },
    stop: () => stop.abort(),
    /** How many alerts ended so. */
    count: (result: "sent" | "failed" | "dropped"): number => countOf(registry, `result="${result}"`),
    /** Answers after this time of the clock. */
    later: (delayMs: number, answer: Answer): Answer => {
      return (request, response) => {
        unanswered++;
        clock.schedule(delayMs, () => {
          unanswered--;
          answer(request, response);
        });
      };
    },
  };
}

type World = Awaited<ReturnType<typeof start>>;

/** The sum of the counters of alerts with a label. */
function countOf(registry: MetricsRegistry, label: string): number {
  const lines = registry.render().split("\n");
  return lines
    .filter((line) => line.startsWith("keelson_reloader_alerts_total{") && line.includes(label))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

/** Lets time pass until so many alerts were sent, have failed or were dropped. */
async function ended({ clock, registry }: World, count: number): Promise<void> {
  await clock.advanceUntil(() => countOf(registry, "") >= count);
}

const status =
  (code: number): Answer =>
  (_, response) => {
    response.writeHead(code, { location: "/elsewhere" }).end();
  };

const cut: Answer = (_, response) => {
  response.destroy();
};

/** 100 MB, unless the other side ends the connection. */
const huge: Answer = (_, response) => {
  response.writeHead(200);
  let left = 100 * 16;
  const write = (): void => {
    while (left-- > 0 && !response.destroyed && response.write("a".repeat(1 << 16)));
    if (left <= 0) response.end();
  };
  response.on("drain", write);
  write();
};

describe("an endpoint", () => {
  it.each<[string, Answer, "sent" | "failed", number]>([
    ["responds with 200", status(200), "sent", 1],
    ["responds with 202", status(202), "sent", 1],
    ["responds with 204", status(204), "sent", 1],
    ["redirects with 301", status(301), "failed", 1],
    ["redirects with 307", status(307), "failed", 1],
    ["responds with 400", status(400), "failed", 1],
    ["responds with 404", status(404), "failed", 1],
    ["responds with 408", status(408), "failed", 5],
    ["responds with 429", status(429), "failed", 5],
    ["responds with 500", status(500), "failed", 5],
    ["responds with 503", status(503), "failed", 5],
    ["cuts the connection", cut, "failed", 5],
    ["sends 100 MB", huge, "sent", 1],
  ])("that %s", async (_, answer, result, attempts) => {
    const world = await start();
    world.answer("/hook", answer);
    world.queue.send(reloadAlert, [world.channel("/hook")]);
    await ended(world, 1);
    expect(world.count(result)).toBe(1);
    expect(world.received).toHaveLength(attempts);
    expect(world.received[0]).toEqual({ path: "/hook", body: jsonPayload(reloadAlert, {}).body });
  });

  it("that hangs is called five times, for ten seconds each, with growing delays", async () => {
    const world = await start();
    world.queue.send(reloadAlert, [world.channel("/hangs")]);
    await ended(world, 1);
    expect(world.count("failed")).toBe(1);
    expect(world.received).toHaveLength(5);
    expect(world.clock.monotonicNow()).toBe(5 * 10_000 + 1_000 + 2_000 + 4_000 + 8_000);
    expect(world.registry.render()).toContain(
      'keelson_reloader_alert_duration_seconds_sum{channel="customWebhook"} 65',
    );
    expect(world.registry.render()).toContain(
      'keelson_reloader_alert_retries_total{channel="customWebhook"} 4',
    );
  });

  it("that is slow gets the alert once", async () => {
    const world = await start();
    world.answer("/slow", world.later(9_000, status(200)));
    world.queue.send(reloadAlert, [world.channel("/slow")]);
    await ended(world, 1);
    expect(world.count("sent")).toBe(1);
    expect(world.received).toHaveLength(1);
  });

  it("that recovers gets the alert", async () => {
    const world = await start();
    world.answer("/hook", (request, response) =>
      status(world.received.length < 3 ? 503 : 200)(request, response),
    );
    world.queue.send(reloadAlert, [world.channel("/hook")]);
    await ended(world, 1);
    expect(world.count("sent")).toBe(1);
    expect(world.received).toHaveLength(3);
  });
});

it("does not let an endpoint that hangs delay the alerts of other channels", async () => {
  const world = await start();
  world.answer("/hook", status(200));
  const channels = [world.channel("/hangs"), world.channel("/hook")];
  for (let alert = 0; alert < 20; alert++) world.queue.send(reloadAlert, channels);
  // No time passes.
  await world.clock.settle();
  await expect.poll(() => world.count("sent")).toBe(20);
  expect(world.clock.monotonicNow()).toBe(0);
  expect(world.received.filter(({ path }) => path === "/hangs")).toHaveLength(1);
});

it("sends the alerts of a channel in order", async () => {
  const world = await start();
  world.answer("/hook", world.later(100, status(200)));
  const names = ["a", "b", "c"];
  for (const name of names)
    world.queue.send({ ...reloadAlert, workload: { ...reloadAlert.workload, name } }, [
      world.channel("/hook"),
    ]);
  await ended(world, 3);
  expect(world.received.map(({ body }) => JSON.parse(body).workloadName)).toEqual(names);
});

it("drops the oldest alert of a channel for which too many wait", async () => {
  const world = await start({ channelCapacity: 3, isRunning: false });
  world.answer("/hook", status(200));
  for (const name of ["a", "b", "c", "d", "e"])
    world.queue.send({ ...reloadAlert, workload: { ...reloadAlert.workload, name } }, [
      world.channel("/hook"),
    ]);
  expect(world.count("dropped")).toBe(2);
  expect(world.registry.render()).toContain("keelson_reloader_alerts_queued 3");
  void world.run();
  await ended(world, 5);
  expect(world.received.map(({ body }) => JSON.parse(body).workloadName)).toEqual(["c", "d", "e"]);
  expect(world.registry.render()).toContain("keelson_reloader_alerts_queued 0");
});

it("drops the oldest alert of all if too many wait", async () => {
  const world = await start({ capacity: 2, isRunning: false });
  for (const path of ["/a", "/b", "/c"]) {
    world.answer(path, status(200));
    world.queue.send(reloadAlert, [world.channel(path)]);
  }
  void world.run();
  await ended(world, 3);
  expect(world.count("dropped")).toBe(1);
  expect(world.received.map(({ path }) => path).sort()).toEqual(["/b", "/c"]);
});

describe("when it stops", () => {
  it("sends what waits, and then refuses", async () => {
    const world = await start({ isRunning: false });
    world.answer("/hook", world.later(1_000, status(200)));
    for (let alert = 0; alert < 3; alert++) world.queue.send(reloadAlert, [world.channel("/hook")]);
    const running = world.run();
    world.stop();
    await world.clock.runUntil(running);
    expect(world.count("sent")).toBe(3);
    world.queue.send(reloadAlert, [world.channel("/hook")]);
    expect(world.count("dropped")).toBe(1);
  });

  it("drops after a few seconds what cannot be sent, and leaves no timer", async () => {
    const world = await start({ isRunning: false });
    for (let alert = 0; alert < 3; alert++) world.queue.send(reloadAlert, [world.channel("/hangs")]);
    const running = world.run();
    await world.clock.settle();
    world.stop();
    await world.clock.runUntil(running);
    expect(world.count("dropped")).toBe(3);
    expect(world.clock.monotonicNow()).toBe(5_000);
    expect(world.clock.pendingTimers).toEqual([]);
  });
});

it("shows why an alert was not sent, and never the URL", async () => {
  const world = await start();
  world.answer("/500", status(500));
  world.answer("/301", status(301));
  world.answer("/cut", cut);
  const paths = ["/500", "/301", "/cut", "/hangs"];
  const bad = [`https://nowhere.invalid/${token}`, `http://127.0.0.1:1/${token}`, `${token}://x`, token];
  const channels = [
    ...paths.map((path) => world.channel(path)),
    ...bad.map((url, index) => ({
      ...world.channel("/"),
      id: `bad-${index}`,
      config: reloaderConfig,
      url: { type: "value", url } as const,
    })),
  ];
  world.queue.send(reloadAlert, channels);
  await ended(world, channels.length);
  expect(world.count("failed")).toBe(channels.length);
  const problems = world.log.lines
    .filter(({ level }) => level === "warn")
    .map(({ fields }) => fields.problem);
  expect(problems).toHaveLength(channels.length);
  expect(problems).toEqual(
    expect.arrayContaining([
      "the endpoint responded with 500",
      "the endpoint responded with 301, and redirects are not followed",
      "the endpoint was not reached: ECONNRESET",
      "the endpoint did not respond within 10 s",
      "the endpoint was not reached: ECONNREFUSED",
    ]),
  );
  expect(world.events).toHaveLength(bad.length);
  const shown = JSON.stringify([world.log.lines, world.events, world.registry.render()]);
  expect(shown).not.toContain(token);
  expect(shown).not.toContain("127.0.0.1");
  expect(shown).not.toContain("nowhere");
});
