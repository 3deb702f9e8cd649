import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errorCode, KeelsonError, toError } from "./error.ts";

class ShipError extends KeelsonError {
  static override readonly brand: string = "@test/ship.ShipError";
  readonly code: string = "SHIP";
}
class SinkingError extends ShipError {
  static override readonly brand: string = "@test/ship.SinkingError";
  override readonly code = "SINKING";
}
class FireError extends KeelsonError {
  readonly code = "FIRE";
}

/** What a second copy of the package in the same application would define, maybe under other names. */
function otherCopy(): { Sinking: new (message: string) => Error } {
  class A extends KeelsonError {
    static override readonly brand: string = "@test/ship.ShipError";
    readonly code: string = "SHIP";
  }
  class B extends A {
    static override readonly brand: string = "@test/ship.SinkingError";
    override readonly code = "SINKING";
  }
  return { Sinking: B };
}

/** A class of the same name from another package. */
function namesake(): Error {
  class SinkingError extends KeelsonError {
    readonly code = "STOCK_PRICE";
  }
  return new SinkingError("sold");
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
    const foreign = new (otherCopy().Sinking)("leak");
    expect(foreign instanceof SinkingError).toBe(true);
    expect(foreign instanceof ShipError).toBe(true);
    expect(foreign instanceof FireError).toBe(false);
    expect(foreign.name).toBe("SinkingError");
  });

  it("is not mistaken for another class of the same name", () => {
    expect(namesake() instanceof SinkingError).toBe(false);
    expect(namesake() instanceof KeelsonError).toBe(true);
  });

  it("of a class without a brand is recognised as one of the classes above, and only as such", () => {
    class LeakError extends SinkingError {}
    expect(new LeakError("drip") instanceof SinkingError).toBe(true);
    expect(new SinkingError("glug") instanceof LeakError).toBe(false);
    expect(new LeakError("drip").name).toBe("LeakError");
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
    const odd: unknown = Object.create(null);
    expect(toError(odd)).toMatchObject({ message: "a value without a text", cause: odd });
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
