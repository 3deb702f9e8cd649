import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type ApiCall, apiErrorFrom, type Client, createClient } from "@keelson/client";
import type { Status, Transport } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { controllerWorld } from "../../../test/support/controller-world.ts";
import { RecordingTracer, SyncContextManager } from "../../../test/support/recording-tracer.ts";
import { type ReconcileContext, TerminalError } from "../../controller/reconciler.ts";
import { createTracing } from "./tracing.ts";

let tracer: RecordingTracer;
beforeEach(() => {
  tracer = new RecordingTracer();
  trace.setGlobalTracerProvider(tracer);
  context.setGlobalContextManager(new SyncContextManager());
});
afterEach(() => {
  trace.disable();
  context.disable();
});

/** Responds to each request with this status. */
function answering(status: number, body: object): Transport {
  return {
    send: async () => ({
      status,
      headers: {},
      body: (async function* () {
        yield Buffer.from(JSON.stringify(body));
      })(),
    }),
    close: async () => undefined,
  };
}

const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "shop" } };
const secret = "hunter2";
const refusal: Status = {
  apiVersion: "v1",
  kind: "Status",
  metadata: {},
  status: "Failure",
  reason: "Invalid",
  message: `data.password: Invalid value: "${secret}"`,
  code: 422,
};

interface RunOptions {
  readonly client?: Client;
  readonly timeoutMs?: number;
}

/** Reconciles one key, and then stops. */
async function run(
  reconcile: (run: ReconcileContext<string>) => unknown,
  { client, ...settings }: RunOptions = {},
): Promise<void> {
  const tracing = await createTracing();
  const world = controllerWorld({
    reconcile: async (run) => {
      await reconcile(run);
    },
    environment: {
      ...(tracing !== undefined && { tracer: tracing }),
      ...(client !== undefined && { client, cachedClient: client }),
    },
    definition: { kind: { ...ConfigMap, group: "example.com" } },
    ...settings,
  });
  await world.start();
  world.source.add("shop/web", { priority: 7 });
  await world.clock.settle();
  await vi.waitFor(() => expect(world.observer.results.length).toBeGreaterThan(0));
  await world.stop();
}

const [first, second] = [() => tracer.spans[0], () => tracer.spans[1]];

describe("the span of a reconcile", () => {
  it("shows what ran, how long it waited and how it ended", async () => {
    let reconcileId = "";
    await run((reconciled) => {
      reconcileId = reconciled.reconcileId;
    });
    expect(tracer.spans).toHaveLength(1);
    expect(first()).toMatchObject({
      name: "reconcile test",
      kind: SpanKind.INTERNAL,
      parentSpanId: undefined,
      isEnded: true,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        controller: "test",
        kind: "ConfigMap",
        group: "example.com",
        key: "shop/web",
        reconcileID: reconcileId,
        priority: 7,
        queueWaitMs: 0,
        result: "success",
      },
    });
  });

  it("is active for the reconciler's own code", async () => {
    let active: string | undefined;
    await run(() => {
      active = trace.getSpanContext(context.active())?.spanId;
    });
    expect(active).toBe(first()?.spanContext().spanId);
  });

  it("names the failure and not what the message quotes", async () => {
    await run(() => {
      throw apiErrorFrom("update configmaps shop/web", refusal);
    });
    expect(first()).toMatchObject({
      attributes: { result: "error" },
      status: { code: SpanStatusCode.ERROR, message: "INVALID" },
      events: [
        {
          name: "exception",
          attributes: { "exception.type": "InvalidError", status: 422, reason: "Invalid" },
        },
      ],
    });
    expect(JSON.stringify(tracer.spans)).not.toContain(secret);
  });

  it("distinguishes a terminal failure", async () => {
    await run(() => {
      throw new TerminalError("it cannot be");
    });
    expect(first()?.attributes.result).toBe("terminal_error");
  });
});

describe("the span of a call", () => {
  it("is a child of its run's, also after the run has waited", async () => {
    const client = createClient({ transport: answering(200, object) });
    await run(
      async (reconciled) => {
        await Promise.resolve();
        await reconciled.client.create(ConfigMap, { metadata: { name: "a", namespace: "shop" } });
        await reconciled.liveClient.get(ConfigMap, { namespace: "shop", name: "a" });
      },
      { client },
    );
    const parentSpanId = first()?.spanContext().spanId;
    expect(tracer.spans.slice(1)).toMatchObject([
      {
        name: "create configmaps",
        kind: SpanKind.CLIENT,
        parentSpanId,
        isEnded: true,
        attributes: { verb: "create", resource: "configmaps", namespace: "shop", status: "ok" },
      },
      {
        name: "get configmaps",
        kind: SpanKind.CLIENT,
        parentSpanId,
        isEnded: true,
        attributes: { verb: "get", resource: "configmaps", namespace: "shop", name: "a", status: "ok" },
      },
    ]);
  });

  it.each(["create", "get"] as const)("of a %s that was refused shows why, without values", async (verb) => {
    const client = createClient({ transport: answering(422, refusal) });
    await run(
      async (reconciled) => {
        const called =
          verb === "create"
            ? reconciled.client.create(ConfigMap, { metadata: { name: "a", namespace: "shop" } })
            : reconciled.client.get(ConfigMap, { namespace: "shop", name: "a" });
        await called.catch(() => undefined);
      },
      { client },
    );
    expect(second()).toMatchObject({
      isEnded: true,
      attributes: { verb, status: 422 },
      status: { code: SpanStatusCode.ERROR, message: "INVALID" },
      events: [{ name: "exception", attributes: { code: "INVALID", reason: "Invalid" } }],
    });
    expect(JSON.stringify(tracer.spans)).not.toContain(secret);
    expect(first()?.attributes.result).toBe("success");
  });

  it("is not created for a read that the cache serves", async () => {
    const client = createClient({ transport: answering(200, object) });
    const serve = async ({ onCacheHit }: ApiCall): Promise<unknown> => {
      onCacheHit?.();
      return object;
    };
    const cached = client.with((next) => ({ ...next, json: serve }));
    await run((reconciled) => reconciled.client.get(ConfigMap, { namespace: "shop", name: "a" }), {
      client: cached,
    });
    expect(tracer.spans.map(({ name }) => name)).toEqual(["reconcile test"]);
  });
});

it("there are no traces without the package @opentelemetry/api", async () => {
  const script = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve: (name, context, next) => next(name === "@opentelemetry/api" ? "@opentelemetry/api-missing" : name, context),
    });
    const { createTracing } = await import(${JSON.stringify(new URL("./tracing.ts", import.meta.url).href)});
    console.log(await createTracing());`;
  const args = ["--conditions=@keelson/source", "--input-type=module", "--eval", script];
  expect((await promisify(execFile)(process.execPath, args)).stdout).toBe("undefined\n");
});

it("nothing is traced as long as no provider is registered, and everything from then on", async () => {
  trace.disable();
  const tracing = await createTracing();
  const traceRun = tracing?.tracerOf({ name: "test" });
  const begin = () => traceRun?.({ key: "a", keyText: "a", reconcileId: "", priority: 0, queuedMs: 0 });
  expect(begin()).toBeUndefined();
  trace.setGlobalTracerProvider(tracer);
  expect(begin()).toBeDefined();
  expect(tracer.spans).toHaveLength(1);
});
