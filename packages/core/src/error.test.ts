import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errorCode, KeelsonError, toError } from "./error.ts";

class ShipError extends KeelsonError {
  readonly code: string = "SHIP";
}
class SinkingError extends ShipError {
  override readonly code = "SINKING";
}
class FireError extends KeelsonError {
  readonly code = "FIRE";
}

/** What a second copy of the package in the same application would define. */
function otherCopy(): { SinkingError: new (message: string) => Error } {
  class ShipError extends KeelsonError {
    readonly code: string = "SHIP";
  }
  class SinkingError extends ShipError {
    override readonly code = "SINKING";
  }
  return { SinkingError };
}

describe("an error of Keelson", () => {
  it("is named after its class and keeps its cause", () => {
    const cause = new Error("hull");
    const error = new SinkingError("sail boat: leak; pump", { cause });
    expect(error).toMatchObject({ name: "SinkingError", code: "SINKING", cause });
  });

  it("is an instance of its class and of the classes above, and of no other", () => {
    const error = new SinkingError("leak");
    expect(error instanceof SinkingError).toBe(true);
    expect(error instanceof ShipError).toBe(true);
    expect(error instanceof Error).toBe(true);
    expect(error instanceof FireError).toBe(false);
    expect(new ShipError("adrift") instanceof SinkingError).toBe(false);
  });

  it("is recognised when another copy of the package made it", () => {
    const foreign = new (otherCopy().SinkingError)("leak");
    expect(foreign instanceof SinkingError).toBe(true);
    expect(foreign instanceof ShipError).toBe(true);
    expect(foreign instanceof FireError).toBe(false);
  });

  it.each([undefined, null, "SinkingError", 7, new Error("plain"), {}])("is not %s", (value) => {
    expect(value instanceof KeelsonError).toBe(false);
  });
});

describe("toError", () => {
  it("leaves an error as it is and wraps anything else", () => {
    const error = new Error("leak");
    expect(toError(error)).toBe(error);
    expect(toError("leak")).toMatchObject({ message: "leak", cause: "leak" });
  });
});

describe("errorCode", () => {
  it("is the code of a system error", () => {
    expect(errorCode(caughtFrom(() => readFileSync("/nowhere/at-all")))).toBe("ENOENT");
  });

  it.each([new Error("plain"), Object.assign(new Error("odd"), { code: 7 }), { code: "ENOENT" }, undefined])(
    "is undefined for %s",
    (caught) => {
      expect(errorCode(caught)).toBeUndefined();
    },
  );
});

function caughtFrom(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}
