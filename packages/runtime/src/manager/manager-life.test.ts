import { RecordingLogger } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { ManagerReusedError, ManagerStartedError, ManagerStoppedError } from "./errors.ts";
import { FirstFailure, isCancellation, ManagerLife } from "./manager-life.ts";

describe("the states of a manager", () => {
  it("start once", () => {
    const life = new ManagerLife();
    life.start();
    expect(life.state).toBe("starting");
    expect(() => life.start()).toThrow(ManagerReusedError);
  });

  it("only move forward, and may be skipped", () => {
    const life = new ManagerLife();
    life.start();
    expect(life.moveTo("running")).toBe(true);
    expect(life.moveTo("starting")).toBe(false);
    expect(life.moveTo("stopping")).toBe(true);
    expect(life.moveTo("stopping")).toBe(false);
    expect(life.moveTo("stopped")).toBe(true);
  });

  it("[MG6] do not change to leading once it stops", () => {
    const life = new ManagerLife();
    life.start();
    life.moveTo("stopping");
    expect(life.moveTo("leading")).toBe(false);
    expect(life.state).toBe("stopping");
  });

  it("[MG5] [MG8] allow some operations until the start, and some until the stop", () => {
    const life = new ManagerLife();
    life.requireNew("add a check");
    life.start();
    expect(() => life.requireNew("add a check")).toThrow(ManagerStartedError);
    life.moveTo("leading");
    life.requireNotStopping("add it");
    life.moveTo("stopping");
    expect(() => life.requireNotStopping("add it")).toThrow(ManagerStoppedError);
  });
});

describe("the failures of a manager", () => {
  it("[MG4] are reported once: the first one stops everything, later ones are logged", () => {
    const log = new RecordingLogger();
    const reported: Error[] = [];
    const failures = new FirstFailure(log, (error) => void reported.push(error));
    const [first, second] = [new Error("first"), new Error("second")];
    failures.record("one", first, undefined);
    failures.record("two", second, first);
    expect(reported).toEqual([first]);
    expect(failures.error).toBe(first);
    expect(log.lines.map(({ message, fields }) => [message, fields.part])).toEqual([
      ["a part of the manager failed; the manager stops", "one"],
      ["a part of the manager failed while the manager stopped", "two"],
    ]);
  });

  it("[MG4] that follow from the stop are not reported", () => {
    const log = new RecordingLogger();
    const failures = new FirstFailure(log, () => undefined);
    const reason = new Error("stopped by SIGTERM");
    failures.end();
    failures.record("one", reason, reason);
    failures.record("two", new Error("reconcile", { cause: reason }), reason);
    failures.record("three", new DOMException("This operation was aborted", "AbortError"), reason);
    expect(log.lines).toEqual([]);
    expect(failures.error).toBeUndefined();
  });

  it("[MG4] that come after the stop began, for another reason, are logged and do not count", () => {
    const log = new RecordingLogger();
    const failures = new FirstFailure(log, () => undefined);
    failures.end();
    failures.record("one", new Error("disk full"), new Error("stopped by SIGTERM"));
    expect(log.messages("error")).toEqual(["a part of the manager failed while the manager stopped"]);
    expect(failures.error).toBeUndefined();
  });

  it("may have circular causes", () => {
    const error = new Error("one");
    error.cause = new Error("two", { cause: error });
    expect(isCancellation(error, new Error("other"))).toBe(false);
  });
});
