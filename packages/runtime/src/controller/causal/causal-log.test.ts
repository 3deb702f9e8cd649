import type { ApiCall, Caller } from "@keelson/client";
import type { KubeObject } from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { Secret } from "@keelson/core/kinds/core/v1";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import type { Trigger } from "../../queue/work-item.ts";
import { CausalLog, type CausalLogOptions } from "./causal-log.ts";
import type { RunStart } from "./recorded-run.ts";

type FakeResponse = unknown | Error | ((call: ApiCall) => unknown);

/** A caller that responds to each call with the next of the given responses. */
function responding(...responses: readonly FakeResponse[]): Caller {
  const left = [...responses];
  const next = async (call: ApiCall): Promise<unknown> => {
    const response = left.shift();
    if (response instanceof Error) throw response;
    return typeof response === "function" ? response(call) : response;
  };
  return {
    json: next,
    raw: () => next(get),
    async *stream(call) {
      yield Buffer.from(String(await next(call)));
    },
  };
}

/** A response that a cache serves. */
function fromCache(response: unknown): FakeResponse {
  return ({ onCacheHit }: ApiCall) => {
    onCacheHit?.();
    return response;
  };
}

function setUp(options: Partial<CausalLogOptions> = {}): { clock: VirtualClock; log: CausalLog } {
  const clock = new VirtualClock();
  return { clock, log: new CausalLog({ clock, ...options }) };
}

const start: RunStart = { reconcileId: () => "run-1", reasons: [], queuedMs: 0, priority: 0 };

const get: ApiCall = {
  verb: "get",
  resource: Deployment,
  namespace: "shop",
  name: "web",
  query: {},
  isStream: false,
};
const patch: ApiCall = {
  ...get,
  verb: "patch",
  body: { contentType: "application/merge-patch+json", value: { spec: { replicas: 3 } } },
};

const deployment = (
  resourceVersion: string,
  replicas: number,
): KubeObject & { spec: { replicas: number } } => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { namespace: "shop", name: "web", resourceVersion },
  spec: { replicas },
});

describe("a run", () => {
  it("is recorded once it has ended, with its reasons, times and result", async () => {
    const { clock, log } = setUp();
    const changed: Trigger = {
      source: "owns deployments.apps",
      type: "update",
      object: { kind: "Deployment", namespace: "shop", name: "web", resourceVersion: "12" },
      changedPaths: () => ["status.readyReplicas"],
    };
    const run = log.begin("shop/web", {
      ...start,
      reasons: [changed],
      droppedReasons: 3,
      queuedMs: 2,
      priority: -100,
    });
    await clock.advance(14);
    expect(log.runs("shop/web")).toEqual([]);
    run.end({ result: "requeue_after", requeueAfterMs: 30_000 });
    const { changedPaths, ...rest } = changed;
    expect(log.runs("shop/web")).toEqual([
      {
        reconcileId: "run-1",
        startedAt: "2026-01-01T00:00:00.000Z",
        queuedMs: 2,
        durationMs: 14,
        priority: -100,
        reasons: [{ ...rest, changedPaths: ["status.readyReplicas"] }],
        droppedReasons: 3,
        calls: [],
        droppedCalls: 0,
        result: "requeue_after",
        requeueAfterMs: 30_000,
      },
    ]);
    expect(JSON.parse(JSON.stringify(log.runs("shop/web")))).toEqual(log.runs("shop/web"));
  });

  it("has the message of its error, cut if it is long", () => {
    const { log } = setUp();
    log.begin("a", start).end({ result: "error", error: new Error("no luck") });
    log.begin("a", start).end({ result: "error", error: new Error("x".repeat(10_000)) });
    expect(log.runs("a").map(({ error }) => error?.length)).toEqual([501, 7]);
  });

  it("computes the changed fields when it ends and not again, so that no object is kept", () => {
    const { log } = setUp();
    let computed = 0;
    const changedPaths = (): readonly string[] => {
      computed += 1;
      return ["spec"];
    };
    const run = log.begin("a", { ...start, reasons: [{ source: "s", type: "update", changedPaths }] });
    expect(computed).toBe(0);
    run.end({ result: "success" });
    log.runs("a");
    log.explain("a");
    expect(computed).toBe(1);
  });

  it("does not parse a created object for its resource version", () => {
    const { log } = setUp();
    const object = {
      kind: "Pod",
      name: "a",
      get resourceVersion(): string {
        throw new Error("parsed");
      },
    };
    log
      .begin("a", { ...start, reasons: [{ source: "s", type: "create", object }] })
      .end({ result: "success" });
    expect(log.runs("a")[0]?.reasons).toEqual([
      { source: "s", type: "create", object: { kind: "Pod", name: "a" } },
    ]);
  });

  it("computes the changed fields of its first three reasons", () => {
    const { log } = setUp();
    let computed = 0;
    const changedPaths = (): readonly string[] => {
      computed += 1;
      return ["spec"];
    };
    const reasons = Array.from({ length: 5 }, () => ({ source: "s", type: "update", changedPaths }) as const);
    log.begin("a", { ...start, reasons }).end({ result: "success" });
    expect(computed).toBe(3);
    const known = log.runs("a")[0]?.reasons.map((reason) => reason.changedPaths?.length);
    expect(known).toEqual([1, 1, 1, undefined, undefined]);
  });

  it("generates no id until its record is read, whatever it did", async () => {
    const { log } = setUp();
    let made = 0;
    const reconcileId = (): string => {
      made += 1;
      return `run-${made}`;
    };
    const run = log.begin("a", { ...start, reconcileId });
    await run.layer(responding(deployment("1", 1))).json(get);
    run.end({ result: "success" });
    expect(made).toBe(0);
    expect([log.runs("a")[0]?.reconcileId, log.runs("a")[0]?.reconcileId]).toEqual(["run-1", "run-1"]);
  });
});

describe("the calls of a run", () => {
  it("distinguish reads of the cache from reads of the server, objects and lists alike", async () => {
    const { log } = setUp();
    const run = log.begin("a", start);
    const list = (items: readonly unknown[]) => ({
      kind: "DeploymentList",
      metadata: { resourceVersion: "9" },
      items,
    });
    const caller = run.layer(
      responding(
        fromCache(deployment("5", 1)),
        deployment("6", 1),
        fromCache(list([deployment("5", 1)])),
        list([deployment("6", 1)]),
      ),
    );
    await caller.json(get);
    await caller.json(get);
    const { name, ...collection } = get;
    await caller.json({ ...collection, verb: "list" });
    await caller.json({ ...collection, verb: "list" });
    run.end({ result: "success" });
    expect(
      log
        .runs("a")[0]
        ?.calls.map(({ call, fromCache, resourceVersion }) => [call, fromCache, resourceVersion]),
    ).toEqual([
      ["get deployments.apps shop/web", true, "5"],
      ["get deployments.apps shop/web", false, "6"],
      ["list deployments.apps shop", true, undefined],
      ["list deployments.apps shop", false, undefined],
    ]);
  });

  it("include what was read from the cache without a call, from which the changes of a write are computed", async () => {
    const { log } = setUp();
    const run = log.begin("a", start);
    const key = { namespace: "shop", name: "web" };
    run.sawCached(Deployment, key, deployment("5", 1));
    const caller = run.layer(responding(deployment("5", 1), deployment("6", 3)));
    await caller.json(patch);
    await caller.json(patch);
    run.end({ result: "success" });
    expect(log.runs("a")[0]?.calls.map(({ ms, ...rest }) => rest)).toEqual([
      {
        call: "get deployments.apps shop/web",
        kind: "read",
        fromCache: true,
        outcome: "ok",
        resourceVersion: "5",
      },
      {
        call: "patch deployments.apps shop/web",
        kind: "write",
        fromCache: false,
        outcome: "noop",
        resourceVersion: "5",
      },
      {
        call: "patch deployments.apps shop/web",
        kind: "write",
        fromCache: false,
        outcome: "ok",
        resourceVersion: "6",
        changedPaths: ["spec.replicas"],
      },
    ]);
  });

  it("include such a read also if the run made no call, for the record and for later runs", async () => {
    const { log } = setUp();
    const reading = log.begin("a", start);
    reading.sawCached(Deployment, { namespace: "shop", name: "web" }, deployment("5", 1));
    reading.end({ result: "success" });
    expect(log.runs("a")[0]?.calls).toMatchObject([
      { call: "get deployments.apps shop/web", fromCache: true, ms: 0, resourceVersion: "5" },
    ]);
    const writing = log.begin("a", start);
    await writing.layer(responding(deployment("5", 1))).json(patch);
    writing.end({ result: "success" });
    expect(log.runs("a")[0]?.calls.map(({ outcome }) => outcome)).toEqual(["noop"]);
  });

  it("name what a write changed in an object that the run has read with a get or in a list", async () => {
    const { clock, log } = setUp();
    const run = log.begin("a", start);
    const slow = async (): Promise<unknown> => {
      await clock.advance(7);
      return deployment("6", 3);
    };
    const listed = { kind: "DeploymentList", metadata: {}, items: [deployment("6", 3)] };
    const caller = run.layer(responding(fromCache(deployment("5", 1)), slow, listed, deployment("7", 4)));
    await caller.json(get);
    await caller.json(patch);
    const { name, ...collection } = get;
    await caller.json({ ...collection, verb: "list" });
    await caller.json({ ...patch, subresource: "status" });
    run.end({ result: "success" });
    expect(log.runs("a")[0]?.calls.filter(({ kind }) => kind === "write")).toEqual([
      {
        call: "patch deployments.apps shop/web",
        kind: "write",
        fromCache: false,
        ms: 7,
        outcome: "ok",
        resourceVersion: "6",
        changedPaths: ["spec.replicas"],
      },
      {
        call: "patch deployments.apps/status shop/web",
        kind: "write",
        fromCache: false,
        ms: 0,
        outcome: "ok",
        resourceVersion: "7",
        changedPaths: ["spec.replicas"],
      },
    ]);
  });

  it("recognize a write that changed nothing: by what was read, by what was sent, and by earlier runs", async () => {
    const { log } = setUp();
    const outcomes = async (
      call: ApiCall,
      ...responses: readonly unknown[]
    ): Promise<readonly (string | undefined)[]> => {
      const run = log.begin("a", start);
      const caller = run.layer(responding(...responses));
      if (responses.length > 1) await caller.json(get);
      await caller.json(call);
      run.end({ result: "success" });
      return log.runs("a")[0]?.calls.map(({ outcome }) => outcome) ?? [];
    };
    expect(await outcomes(patch, deployment("5", 1), deployment("5", 1))).toEqual(["ok", "noop"]);
    expect(await outcomes(patch, deployment("6", 3))).toEqual(["ok"]);
    expect(await outcomes(patch, deployment("6", 3))).toEqual(["noop"]);
    const value = { ...deployment("7", 3) };
    const update: ApiCall = { ...get, verb: "update", body: { contentType: "application/json", value } };
    expect(await outcomes(update, deployment("7", 3))).toEqual(["noop"]);
    expect(await outcomes({ ...update, name: "other" }, deployment("8", 3))).toEqual(["ok"]);
  });

  it("have the code of their error, and are pending while they have no response", async () => {
    const { log } = setUp();
    const run = log.begin("a", start);
    const conflict = Object.assign(new Error("no"), { code: "CONFLICT" });
    const never = new Promise<never>(() => {});
    const caller = run.layer(responding(conflict, new TypeError("oops"), () => never, { gitVersion: "v1" }));
    await expect(caller.json(patch)).rejects.toBe(conflict);
    await expect(caller.json(patch)).rejects.toThrow("oops");
    void caller.json(get);
    await caller.raw({ path: "/version?token=abc" });
    run.end({ result: "error", error: conflict });
    expect(log.runs("a")[0]?.calls.map(({ call, outcome, ms }) => [call, outcome, ms])).toEqual([
      ["patch deployments.apps shop/web", "CONFLICT", 0],
      ["patch deployments.apps shop/web", "TypeError", 0],
      ["get deployments.apps shop/web", "pending", undefined],
      ["get /version", "ok", 0],
    ]);
  });

  it("include streams, with the error of a stream that broke", async () => {
    const { log } = setUp();
    const run = log.begin("a", start);
    const caller = run.layer(responding("line", new RangeError("cut")));
    const watch: ApiCall = { verb: "watch", resource: Deployment, query: {}, isStream: true };
    for await (const chunk of caller.stream(watch)) expect(String(chunk)).toBe("line");
    const cut = async (): Promise<void> => {
      for await (const _ of caller.stream(watch));
    };
    await expect(cut()).rejects.toThrow("cut");
    run.end({ result: "success" });
    expect(log.runs("a")[0]?.calls.map(({ call, outcome }) => [call, outcome])).toEqual([
      ["watch deployments.apps", "ok"],
      ["watch deployments.apps", "RangeError"],
    ]);
  });

  it("name a created object, and mark a dry run", async () => {
    const { log } = setUp();
    const run = log.begin("a", start);
    const caller = run.layer(
      responding(deployment("1", 1), deployment("1", 1), { kind: "Status", metadata: {} }),
    );
    const { name, ...collection } = get;
    const body = { contentType: "application/json", value: deployment("", 1) };
    await caller.json({ ...collection, verb: "create", body });
    await caller.json({ ...patch, query: { dryRun: "All" } });
    await caller.json({
      ...get,
      verb: "delete",
      body: { contentType: "application/json", value: { dryRun: ["All"] } },
    });
    run.end({ result: "success" });
    expect(log.runs("a")[0]?.calls.map(({ call, outcome }) => [call, outcome])).toEqual([
      ["create deployments.apps shop/web", "ok"],
      ["patch deployments.apps shop/web", "dry-run"],
      ["delete deployments.apps shop/web", "dry-run"],
    ]);
  });

  it("are dropped beyond the limit, reads before writes, and counted", async () => {
    const { log } = setUp({ callsPerRun: 3 });
    const run = log.begin("a", start);
    const caller = run.layer(responding());
    for (const name of ["r1", "r2", "r3", "r4"]) await caller.json({ ...get, name });
    for (const name of ["w1", "w2", "w3", "w4"]) await caller.json({ ...patch, name });
    run.end({ result: "success" });
    expect(log.runs("a")[0]?.calls.map(({ call }) => call)).toEqual([
      "patch deployments.apps shop/w1",
      "patch deployments.apps shop/w2",
      "patch deployments.apps shop/w3",
    ]);
    expect(log.runs("a")[0]?.droppedCalls).toBe(5);
  });

  it("show no value of any field, in the record or in the text", async () => {
    const { log } = setUp();
    const run = log.begin("a", start);
    const secret = (resourceVersion: string, password: string): object => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: "shop", name: "web", resourceVersion, annotations: { token: password } },
      data: { password, [password.length > 6 ? "long" : "short"]: password },
    });
    const caller = run.layer(responding(secret("1", "hunter2"), secret("2", "geheim")));
    await caller.json({ ...get, resource: Secret });
    await caller.json({
      ...patch,
      resource: Secret,
      body: { contentType: "", value: secret("1", "geheim") },
    });
    run.end({ result: "success" });
    expect(log.runs("a")[0]?.calls[1]?.changedPaths).toEqual([
      "metadata.annotations.token",
      "data.password",
      "data.long",
      "data.short",
    ]);
    for (const shown of [JSON.stringify(log.runs("a")), log.explain("a")]) {
      expect(shown).not.toMatch(/hunter2|geheim/);
    }
  });
});

describe("the log", () => {
  it("keeps the last runs of a key, the newest first", async () => {
    const { clock, log } = setUp({ runsPerKey: 2 });
    for (const priority of [1, 2, 3]) {
      log.begin("a", { ...start, priority }).end({ result: "success" });
      await clock.advance(1);
    }
    expect(log.runs("a").map(({ priority }) => priority)).toEqual([3, 2]);
  });

  it("keeps the keys that ran most recently", () => {
    const { log } = setUp({ keys: 2 });
    for (const key of ["a", "b", "a", "c"]) log.begin(key, start).end({ result: "success" });
    expect(log.keys()).toEqual(["c", "a"]);
    expect(log.runs("b")).toEqual([]);
    expect(log.runs("a")).toHaveLength(2);
  });
});
