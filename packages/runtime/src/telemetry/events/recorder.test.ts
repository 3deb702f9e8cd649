import { createClient } from "@keelson/client";
import { seededRandom, type Transport, type TransportRequest } from "@keelson/core";
import { RecordingLogger, VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { createEventRecorder, type EventRecorderOptions, InvalidEventRecorderError } from "./recorder.ts";

const pod = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", name: "web" } };
const pulled = { type: "Normal", reason: "Pulled", message: "pulled" } as const;

/** A recorder whose server cannot be reached. */
function setUp(options: Partial<EventRecorderOptions> = {}) {
  const clock = new VirtualClock();
  const log = new RecordingLogger();
  const outcomes: string[] = [];
  const requests: TransportRequest[] = [];
  const transport: Transport = {
    send: (request) => {
      requests.push(request);
      return Promise.reject(new Error("ECONNREFUSED"));
    },
    close: async () => undefined,
  };
  const recorder = createEventRecorder({
    client: createClient({ transport, clock }),
    clock,
    random: seededRandom(1),
    reportingController: "example.com/webapp",
    reportingInstance: "webapp-0",
    log,
    observer: { sent: (how) => outcomes.push(how), dropped: (reason) => outcomes.push(reason) },
    ...options,
  });
  return { clock, log, outcomes, requests, recorder };
}

describe("an event recorder", () => {
  it("[EVR1] neither throws nor waits, whatever it is given, and counts what it cannot record", () => {
    const { recorder, outcomes, log } = setUp();
    const bad = Object.defineProperty({ ...pod }, "metadata", {
      get: () => {
        throw new Error("broken");
      },
    });
    expect(() => recorder.record(bad, pulled)).not.toThrow();
    expect(() => recorder.record({ ...pod, metadata: {} }, pulled)).not.toThrow();
    expect(() => recorder.record(pod, JSON.parse('{"type":"Normal","reason":"Made"}'))).not.toThrow();
    expect(outcomes).toEqual(["malformed", "no_reference", "malformed"]);
    expect(recorder.drops).toEqual(
      new Map([
        ["malformed", 2],
        ["no_reference", 1],
      ]),
    );
    expect(log.lines).toMatchObject([
      {
        level: "warn",
        fields: { regarding: { kind: "Pod" }, reason: "Pulled", error: { message: "broken" } },
      },
      {
        message: "drop an event: its object has no kind or no name",
        fields: { regarding: { kind: "Pod" }, reason: "Pulled", note: "pulled" },
      },
      {
        message: "drop an event: it cannot be read; give it a reason and a message",
        fields: { regarding: { kind: "Pod", namespace: "shop", name: "web" }, reason: "Made" },
      },
    ]);
  });

  it("[EVR1] reports dropped events to its observer and its log", async () => {
    const { clock, recorder, outcomes, log, requests } = setUp();
    recorder.record(pod, pulled);
    expect(requests).toEqual([]);
    await clock.runUntil(recorder.flush());
    expect(outcomes).toEqual(["retries_exhausted"]);
    expect(requests).toHaveLength(12);
    expect(log.lines).toMatchObject([
      {
        level: "warn",
        message: "drop an event: the API server could not be reached for too long",
        fields: { regarding: { kind: "Pod", name: "web" }, reason: "Pulled", note: "pulled" },
      },
    ]);
    await recorder.stop();
  });

  it("[EVR1] counts spam, and logs it at debug", async () => {
    const { recorder, log } = setUp();
    for (let index = 0; index < 30; index++) recorder.record(pod, { ...pulled, reason: `R${index}` });
    expect(recorder.drops).toEqual(new Map([["spam", 5]]));
    expect(log.messages("debug")).toHaveLength(5);
    await recorder.stop();
    expect(recorder.drops.get("stopped")).toBe(25);
  });

  it("leaves no timer when it is stopped, and drops what comes later", async () => {
    const { clock, recorder, outcomes } = setUp();
    recorder.record(pod, pulled);
    await clock.advance(10);
    expect(clock.pendingTimers.length).toBeGreaterThan(0);
    await recorder.stop();
    expect(clock.pendingTimers).toEqual([]);
    recorder.record(pod, pulled);
    expect(outcomes).toEqual(["stopped", "stopped"]);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("ends a flush by its signal", async () => {
    const { clock, recorder } = setUp();
    recorder.record(pod, pulled);
    const limit = new AbortController();
    clock.schedule(3_000, () => limit.abort(new Error("the grace is over")));
    await expect(clock.runUntil(recorder.flush(limit.signal))).rejects.toThrow("the grace is over");
    await recorder.stop();
  });

  it("refuses a source with which the server would refuse every event", () => {
    const make = () => setUp({ reportingController: "a/b/c", reportingInstance: "x".repeat(129) });
    expect(make).toThrow(InvalidEventRecorderError);
    expect(make).toThrow(
      'set up an event recorder: reportingController must not contain more than one "/"; ' +
        "reportingInstance must have 1 to 128 bytes, it has 129",
    );
  });
});
