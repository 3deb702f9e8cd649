import { KeelsonError } from "@keelson/core";
import { expect, it } from "vitest";
import { describeFailure } from "./failure.ts";

class LeakError extends KeelsonError {
  readonly code = "LEAK";
}

it("shows the message of an error that we made and the stack of one that we did not", () => {
  expect(describeFailure(new LeakError("sail boat: leak; pump"))).toBe("keelson: sail boat: leak; pump");
  expect(describeFailure(new TypeError("x is not a function"))).toMatch(
    /^keelson: TypeError: x is not a .*\n +at /,
  );
  expect(describeFailure("leak")).toContain("leak");
});

it("shows no credentials that an error quotes", () => {
  const error = new Error("header Authorization: Bearer s.abcdefghijk refused; url https://u:hunter2@db/x");
  expect(describeFailure(error)).not.toMatch(/abcdefghijk|hunter2/);
  expect(describeFailure(new LeakError("login with password: hunter2 failed; ask"))).toBe(
    "keelson: login with password: [redacted] failed; ask",
  );
});

it("shows each of several errors in a line of its own", () => {
  const both = new AggregateError([
    new LeakError("sail boat: leak; pump"),
    new LeakError("moor boat: late; wait"),
  ]);
  expect(describeFailure(both)).toBe("keelson: sail boat: leak; pump\nkeelson: moor boat: late; wait");
});
