import { RecordingLogger } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { FirstFailure, isCancellation } from "./first-failure.ts";

describe("the failures of a manager", () => {
  it("[MG4] are told of once: the first one ends everything, those after it are logged", () => {
    const log = new RecordingLogger();
    const told: Error[] = [];
    const failures = new FirstFailure(log, (error) => void told.push(error));
    const [first, second] = [new Error("first"), new Error("second")];
    failures.note("one", first, undefined);
    failures.note("two", second, first);
    expect(told).toEqual([first]);
    expect(failures.error).toBe(first);
    expect(log.lines.map(({ message, fields }) => [message, fields.part])).toEqual([
      ["a part of the manager failed, so that all of it stops", "one"],
      ["a part of the manager failed while it stopped", "two"],
    ]);
  });

  it("[MG4] that follow from the stop are not reported", () => {
    const log = new RecordingLogger();
    const failures = new FirstFailure(log, () => undefined);
    const reason = new Error("stopped by SIGTERM");
    failures.end();
    failures.note("one", reason, reason);
    failures.note("two", new Error("reconcile", { cause: reason }), reason);
    failures.note("three", new DOMException("This operation was aborted", "AbortError"), reason);
    expect(log.lines).toEqual([]);
    expect(failures.error).toBeUndefined();
  });

  it("[MG4] that come late for another reason are logged, and do not count", () => {
    const log = new RecordingLogger();
    const failures = new FirstFailure(log, () => undefined);
    failures.end();
    failures.note("one", new Error("disk full"), new Error("stopped by SIGTERM"));
    expect(log.messages("error")).toEqual(["a part of the manager failed while it stopped"]);
    expect(failures.error).toBeUndefined();
  });

  it("may have causes that go round in a circle", () => {
    const error = new Error("one");
    error.cause = new Error("two", { cause: error });
    expect(isCancellation(error, new Error("other"))).toBe(false);
  });
});
