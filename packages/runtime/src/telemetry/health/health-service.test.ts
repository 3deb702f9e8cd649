import { listenHttp } from "@keelson/client";
import type { ServiceResponse } from "@keelson/core";
import { RecordingLogger, VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { HealthCheckRefusedError, HealthCheckTimeoutError } from "./errors.ts";
import { type HealthCheck, HealthChecks } from "./health-checks.ts";
import { healthService } from "./health-service.ts";

const well = (): void => undefined;
const broken = (): void => {
  throw new Error("the database at 10.0.0.1 is down");
};

function setUp(live: Readonly<Record<string, HealthCheck>> = {}, ready: typeof live = {}) {
  const clock = new VirtualClock();
  const log = new RecordingLogger();
  const checks = [live, ready].map((named) => {
    const list = new HealthChecks();
    for (const [name, check] of Object.entries(named)) list.add(name, check);
    return list;
  });
  const [liveChecks = new HealthChecks(), readyChecks = new HealthChecks()] = checks;
  const service = healthService({ live: liveChecks, ready: readyChecks, clock, log });
  const closing = new AbortController();
  const send = (path: string, method = "GET"): Promise<ServiceResponse> =>
    service({ method, path, headers: {}, body: (async function* () {})(), signal: closing.signal });
  const get = async (path: string): Promise<string> => {
    const { status, body } = await send(path);
    return `${status} ${body}`;
  };
  return { clock, log, send, get, closing, liveChecks, service };
}

describe("the health endpoints", () => {
  it("[MG8] respond with ok when all checks pass, each endpoint for its own", async () => {
    const { get } = setUp({ a: well }, { b: broken });
    expect(await get("/healthz")).toBe("200 ok");
    expect(await get("/healthz/")).toBe("200 ok");
    expect(await get("/readyz")).toMatch(/^500 /);
  });

  it("[MG8] serve liveness at /live as well", async () => {
    const { get } = setUp({ a: well }, { b: broken });
    expect(await get("/live")).toBe("200 ok");
    expect(await get("/live/a")).toBe("200 ok");
    expect(await get("/live?verbose")).toBe("200 [+]a ok\nhealthz check passed\n");
    expect(await get("/lives")).toMatch(/^404 /);
  });

  it("[MG8] list each check, by name, with ?verbose", async () => {
    const { get } = setUp({ b: well, a: async () => undefined });
    expect(await get("/healthz?verbose")).toBe("200 [+]a ok\n[+]b ok\nhealthz check passed\n");
    expect(await get("/healthz?verbose=true")).toBe("200 [+]a ok\n[+]b ok\nhealthz check passed\n");
  });

  it("[MG8] are 500 and verbose when one fails, and withhold the reason, which is in the log", async () => {
    const { get, log } = setUp({}, { a: well, db: broken });
    expect(await get("/readyz")).toBe("500 [+]a ok\n[-]db failed: reason withheld\nreadyz check failed\n");
    expect(log.lines).toMatchObject([
      {
        level: "warn",
        message: "a health check fails",
        fields: { endpoint: "readyz", check: "db", reason: "the database at 10.0.0.1 is down" },
      },
    ]);
  });

  it("[MG8] leave out what is excluded, and report excludes that match nothing", async () => {
    const { get } = setUp({ a: well, b: broken, c: broken });
    expect(await get("/healthz?exclude=b&exclude=c")).toBe("200 ok");
    expect(await get("/healthz?verbose&exclude=b&exclude=c&exclude=z&exclude=y")).toBe(
      "200 [+]a ok\n[+]b excluded: ok\n[+]c excluded: ok\n" +
        'warn: some health checks cannot be excluded: no matches for "y","z"\nhealthz check passed\n',
    );
    expect(await get("/healthz?exclude=b")).toMatch(/^500 /);
  });

  it("[MG8] run one check by its name, and withhold its reason as well", async () => {
    const { get } = setUp({ a: well, db: broken });
    expect(await get("/healthz/a")).toBe("200 ok");
    expect(await get("/healthz/db")).toBe("500 internal server error: reason withheld\n");
    expect(await get("/healthz/other")).toMatch(/^404 /);
    expect(await get("/healthz/a/b")).toMatch(/^404 /);
  });

  it("[MG8] have a ping check if no other is added", async () => {
    const { get } = setUp();
    expect(await get("/readyz?verbose")).toBe("200 [+]ping ok\nreadyz check passed\n");
    expect(await get("/readyz/ping")).toBe("200 ok");
  });

  it("[MG8] refuse further checks", () => {
    const { liveChecks } = setUp({ a: well });
    expect(() => liveChecks.add("b", well)).toThrow(HealthCheckRefusedError);
  });

  it("[MG8] are served on a port, until it closes", async () => {
    const { service } = setUp({ a: well, b: broken });
    const listener = await listenHttp({ host: "127.0.0.1", port: 0 }, service);
    const get = (path: string) => fetch(`http://127.0.0.1:${listener.port}${path}`);
    const failed = await get("/healthz");
    expect([failed.status, await failed.text()]).toEqual([
      500,
      "[+]a ok\n[-]b failed: reason withheld\nhealthz check failed\n",
    ]);
    const passed = await get("/healthz?exclude=b");
    expect([passed.status, await passed.text()]).toEqual([200, "ok"]);
    await listener.close(0);
    await expect(get("/healthz")).rejects.toThrow();
  });

  it("are two paths, for GET and HEAD", async () => {
    const { send } = setUp();
    expect((await send("/metrics")).status).toBe(404);
    expect((await send("//[")).status).toBe(404);
    expect((await send("/healthz", "POST")).status).toBe(405);
    expect((await send("/healthz", "HEAD")).status).toBe(200);
    expect((await send("/healthz")).headers).toEqual({
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
  });
});

describe("a check that hangs", () => {
  it("fails after its time limit, and its signal aborts", async () => {
    let reason: unknown;
    const hanging: HealthCheck = (signal) => {
      signal.addEventListener("abort", () => {
        reason = signal.reason;
      });
      return new Promise(() => undefined);
    };
    const { clock, get } = setUp({ hanging, a: well });
    const response = get("/healthz");
    await clock.advance(1_000);
    expect(await response).toBe("500 [+]a ok\n[-]hanging failed: reason withheld\nhealthz check failed\n");
    expect(reason).toBeInstanceOf(HealthCheckTimeoutError);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("ends when the probe is closed, which is no failure to log", async () => {
    const { clock, log, get, closing } = setUp({ hanging: () => new Promise(() => undefined) });
    const response = get("/healthz");
    closing.abort(new Error("closed"));
    expect(await response).toMatch(/^500 /);
    expect(log.lines).toEqual([]);
    expect(clock.pendingTimers).toEqual([]);
  });
});

describe("the log of failures", () => {
  it("warns when a check starts to fail and informs when it passes again, not at every probe", async () => {
    let isBroken = true;
    const { get, log } = setUp({
      flaky: () => {
        if (isBroken) broken();
      },
    });
    await get("/healthz");
    await get("/healthz");
    isBroken = false;
    await get("/healthz");
    await get("/healthz");
    expect(log.lines.map(({ level }) => level)).toEqual(["warn", "debug", "info"]);
  });
});
