import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { type PrettyLoggerOptions, prettyLogger } from "./pretty-logger.ts";

function setUp(options: Partial<PrettyLoggerOptions> = {}) {
  const written: string[] = [];
  const log = prettyLogger({ write: (line) => written.push(line), clock: new VirtualClock(), ...options });
  return { written, log };
}

describe("a logger for terminals", () => {
  it("writes time, level, message and key=value", () => {
    const { written, log } = setUp();
    log.warn("queue is long", {
      depth: 12,
      WebApp: { namespace: "shop", name: "web" },
      why: "two words",
      id: "a-1",
    });
    expect(written).toEqual([
      '00:00:00.000Z WARN  queue is long depth=12 WebApp={"namespace":"shop","name":"web"} why="two words" id=a-1',
    ]);
  });

  it("writes the stack of an error and of its causes below, indented", () => {
    const { written, log } = setUp();
    const cause = new Error("refused");
    cause.stack = "Error: refused\n    at inner (a.ts:1)";
    const error = new Error("no response", { cause });
    error.stack = "Error: no response\n    at outer (b.ts:2)";
    log.error("failed", { error, try: 2 });
    expect(written[0]?.split("\n")).toEqual([
      '00:00:00.000Z ERROR failed error="no response" try=2',
      "    Error: no response",
      "    at outer (b.ts:2)",
      "    caused by:",
      "    Error: refused",
      "    at inner (a.ts:1)",
    ]);
  });

  it("keeps the lines of a message and their indentation, below and indented once more", () => {
    const { written, log } = setUp();
    const page = "start: 1 is missing\n\nrules:\n  - verbs: [get]\t\n";
    log.warn(page, { missing: 1 });
    const error = new Error(page);
    error.stack = `Error: ${page}    at outer (b.ts:2)`;
    log.error("failed", { error });
    expect(written.join("\n").split("\n")).toEqual([
      "00:00:00.000Z WARN  start: 1 is missing missing=1",
      "",
      "    rules:",
      "      - verbs: [get]\\u0009",
      "",
      '00:00:00.000Z ERROR failed error="start: 1 is missing"',
      "    Error: start: 1 is missing",
      "    ",
      "    rules:",
      "      - verbs: [get]\\u0009",
      "    at outer (b.ts:2)",
    ]);
  });

  it("puts fields that do not fit on lines of their own", () => {
    const { written, log } = setUp({ width: 40 });
    log.info("hello", { first: "1234567", second: "12345678901234567890", third: 3 });
    expect(written[0]?.split("\n")).toEqual([
      "00:00:00.000Z INFO  hello first=1234567",
      "    second=12345678901234567890 third=3",
    ]);
  });

  it("colours by level on request, and escapes all other control characters", () => {
    const { written, log } = setUp({ colors: true });
    log.error("bad \u001b[2J\r\nfake", { a: "\u009b2J" });
    expect(written[0]).toBe(
      "\u001b[2m00:00:00.000Z\u001b[0m \u001b[31mERROR\u001b[0m bad \\u001b[2J\\u000d " +
        '\u001b[2ma=\u001b[0m"\\u009b2J"\n    fake',
    );
  });

  it("hides what the JSON logger hides, and what is below its level", () => {
    const { written, log } = setUp({ level: "error", fields: { app: "shop" } });
    log.info("quiet");
    log.error("written", { password: "hunter2" });
    expect(written).toEqual(["00:00:00.000Z ERROR written app=shop password=[redacted]"]);
  });
});
