import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { controllerFields, keyFields } from "../../controller/log-fields.ts";
import { type JsonLoggerOptions, jsonLogger } from "./json-logger.ts";

function setUp(options: Partial<JsonLoggerOptions> = {}) {
  const lines: string[] = [];
  const log = jsonLogger({ write: (line) => lines.push(line), clock: new VirtualClock(), ...options });
  return { lines, log };
}

describe("a logger of JSON lines", () => {
  it("writes time, level and message first, then the fields in their order", () => {
    const { lines, log } = setUp({ fields: { app: "shop" } });
    log.with({ b: 1 }).info("started", { a: 2 });
    expect(lines).toEqual([
      '{"ts":"2026-01-01T00:00:00.000Z","level":"info","msg":"started","app":"shop","b":1,"a":2}',
    ]);
  });

  it("[CT16] writes the fields of a reconcile on each of its lines", () => {
    const kind = {
      group: "example.com",
      version: "v1",
      kind: "WebApp",
      plural: "webapps",
      scope: "Namespaced",
    } as const;
    const { lines, log } = setUp();
    const run = log
      .with(controllerFields({ name: "webapp", kind }))
      .with({ ...keyFields(kind, String)({ namespace: "shop", name: "web" }), reconcileID: "5a0c" });
    run.info("first");
    run.error("second", { error: new Error("no") });
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({
        controller: "webapp",
        controllerGroup: "example.com",
        controllerKind: "WebApp",
        WebApp: { namespace: "shop", name: "web" },
        namespace: "shop",
        name: "web",
        reconcileID: "5a0c",
      });
    expect(lines).toHaveLength(2);
  });

  it("lets the field that was given last win, and keeps fields apart from its own", () => {
    const { lines, log } = setUp();
    log.with({ a: 1, level: "mine" }).info("hello", { a: 2, msg: "m", ts: "t" });
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      ts: "2026-01-01T00:00:00.000Z",
      level: "info",
      msg: "hello",
      a: 2,
      level_: "mine",
      msg_: "m",
      ts_: "t",
    });
  });

  it("reads no field for a line below its level", () => {
    const { lines, log } = setUp({ level: "warn" });
    let reads = 0;
    const fields = {
      get a() {
        reads += 1;
        return 1;
      },
    };
    log.with(fields).info("quiet", fields);
    expect({ lines, reads }).toEqual({ lines: [], reads: 0 });
    log.with(fields).warn("written");
    expect({ count: lines.length, reads }).toEqual({ count: 1, reads: 1 });
  });

  it("does not throw when writing fails", () => {
    const { log } = setUp({
      write: () => {
        throw new Error("EPIPE");
      },
    });
    expect(() => log.error("lost")).not.toThrow();
  });

  it("takes credentials out of messages", () => {
    const { lines, log } = setUp();
    log.info("sent Bearer abcdef123456");
    expect(lines[0]).toContain("sent Bearer [redacted]");
  });
});
