import { describe, expect, it } from "vitest";
import { InvalidResultError, NotAnErrorThrownError } from "./errors.ts";
import { isAbort, isTerminal, outcomeOfError, outcomeOfResult } from "./outcome.ts";
import { type ReconcileResult, TerminalError } from "./reconciler.ts";

describe("what follows from a result", () => {
  it("[CT5] nothing is success", () => {
    expect(outcomeOfResult(undefined)).toEqual({ type: "success" });
    expect(outcomeOfResult({})).toEqual({ type: "success" });
  });

  it("[CT3] a time to run again at", () => {
    expect(outcomeOfResult({ requeueAfterMs: 30_000, priority: 7 })).toEqual({
      type: "requeueAfter",
      afterMs: 30_000,
      priority: 7,
    });
  });

  it("[CT3] a time to run again at comes before a back-off", () => {
    expect(outcomeOfResult({ requeueAfterMs: 1, requeue: true })).toMatchObject({ type: "requeueAfter" });
  });

  it.each([0, -1])("[CT3] a delay of %s ms is none", (requeueAfterMs) => {
    expect(outcomeOfResult({ requeueAfterMs })).toEqual({ type: "success" });
    expect(outcomeOfResult({ requeueAfterMs, requeue: true })).toEqual({
      type: "requeue",
      priority: undefined,
    });
  });

  it("[CT4] a back-off", () => {
    expect(outcomeOfResult({ requeue: true, priority: -3 })).toEqual({ type: "requeue", priority: -3 });
  });

  it.each([
    ["requeueAfterMs", { requeueAfterMs: Number.NaN }],
    ["requeueAfterMs", { requeueAfterMs: Number.POSITIVE_INFINITY }],
    ["priority", { requeueAfterMs: 1, priority: Number.NaN }],
  ])("a %s that is no number is a mistake, and tried again", (field, result) => {
    const outcome = outcomeOfResult(result);
    expect(outcome).toMatchObject({ type: "error", isPanic: true, isTerminal: false });
    expect(outcome.type === "error" && outcome.error).toBeInstanceOf(InvalidResultError);
    expect(outcome.type === "error" && outcome.error.message).toContain(field);
  });

  it("[CT6] an Error that is returned counts as thrown", () => {
    const error: object = new TerminalError("no");
    expect(outcomeOfResult(error)).toMatchObject({ type: "error", error, isTerminal: true });
  });
});

describe("what follows from an error", () => {
  it("[CT1] any error is a failure that is tried again", () => {
    expect(outcomeOfError(new Error("no"))).toMatchObject({
      isTerminal: false,
      isPanic: false,
      asksToRequeue: false,
    });
  });

  it("[CT6] notices that it asks to be run again", () => {
    expect(outcomeOfError(Object.assign(new Error("no"), { requeueAfterMs: 5 })).asksToRequeue).toBe(true);
  });

  it.each([
    new TypeError("x is not a function"),
    new ReferenceError("x"),
    new RangeError("too deep"),
    new SyntaxError("x"),
  ])("[CT9] a $name is a mistake in the program", (error) => {
    expect(outcomeOfError(error).isPanic).toBe(true);
  });

  it("[CT9] a TypeError with a cause is not one: fetch reports lost connections so", () => {
    expect(outcomeOfError(new TypeError("fetch failed", { cause: new Error("reset") })).isPanic).toBe(false);
  });

  it.each(["text", 42, undefined, null, { code: 1 }])(
    "[CT9] what is not an Error (%s) becomes one",
    (thrown) => {
      const failure = outcomeOfError(thrown);
      expect(failure).toMatchObject({ isPanic: true, isTerminal: false });
      expect(failure.error).toBeInstanceOf(NotAnErrorThrownError);
      expect(failure.error.cause).toBe(thrown);
    },
  );
});

describe("what cannot be looked at", () => {
  const unreadable = (): never => {
    throw new Error("not to be read");
  };

  it.each([
    ["an object without a prototype", Object.create(null)],
    ["an Error whose message is undefined", Object.assign(new Error("x"), { message: undefined })],
    ["an Error whose message is an object", Object.assign(new Error("x"), { message: { code: 1 } })],
    ["an Error whose cause throws", Object.defineProperty(new Error("x"), "cause", { get: unreadable })],
    ["a proxy that answers nothing", new Proxy({}, { get: unreadable, getPrototypeOf: unreadable })],
  ])("[CT9] is a failure with a message when it is thrown: %s", (_, thrown) => {
    const { error } = outcomeOfError(thrown);
    expect(error).toBeInstanceOf(NotAnErrorThrownError);
    expect(error.message).toContain("was thrown, which is not an Error with a message");
    expect(Object.is(error.cause, thrown)).toBe(true);
    expect(isAbort(thrown, new Error("stop"))).toBe(false);
  });

  it("[CT9] keeps what else is known of an Error without a message", () => {
    const thrown = Object.assign(new TerminalError("never"), { message: undefined });
    expect(outcomeOfError(thrown)).toMatchObject({ isTerminal: true, isPanic: false });
  });

  it.each([
    ["a delay without a text", { requeueAfterMs: Object.create(null) }],
    ["a priority without a text", { priority: Object.create(null) }],
    ["a field that throws", Object.defineProperty({}, "requeue", { get: unreadable })],
  ])("[CT9] is a failure when it is returned: %s", (_, result) => {
    // What a reconciler without types may return.
    expect(outcomeOfResult(result as ReconcileResult)).toMatchObject({ type: "error" });
  });
});

describe("whether an error is terminal", () => {
  const terminal = new TerminalError("never");

  it("[CT2] finds it anywhere in the chain of causes", () => {
    expect(isTerminal(terminal)).toBe(true);
    expect(isTerminal(new Error("a", { cause: new Error("b", { cause: terminal }) }))).toBe(true);
    expect(isTerminal(new Error("a", { cause: "b" }))).toBe(false);
  });

  it("[CT2] of several errors all must be", () => {
    expect(isTerminal(new AggregateError([terminal, new Error("a", { cause: terminal })]))).toBe(true);
    expect(isTerminal(new AggregateError([terminal, new Error("may pass")]))).toBe(false);
    expect(isTerminal(new AggregateError([]))).toBe(false);
    expect(isTerminal(new AggregateError([], "none", { cause: terminal }))).toBe(true);
  });

  it("comes to an end when causes go round in a circle", () => {
    const error = new Error("a");
    error.cause = error;
    expect(isTerminal(error)).toBe(false);
  });
});

describe("whether an error is an abort", () => {
  const reason = new Error("stop");

  it("is the reason, or caused by it, or what Node throws", () => {
    expect(isAbort(reason, reason)).toBe(true);
    expect(isAbort(new Error("wait", { cause: reason }), reason)).toBe(true);
    expect(isAbort(new DOMException("aborted", "AbortError"), reason)).toBe(true);
    expect(isAbort("stop", "stop")).toBe(true);
  });

  it("is no other failure", () => {
    expect(isAbort(new Error("stop"), reason)).toBe(false);
    expect(isAbort(undefined, reason)).toBe(false);
  });
});
