import { describe, expect, it } from "vitest";
import { InvalidLogLevelError, isWritten, levelFrom } from "./log-level.ts";

describe("levels of a log", () => {
  it("are parsed in any case, and warning is warn", () => {
    expect(["debug", "INFO", " Warn ", "warning", "error"].map(levelFrom)).toEqual([
      "debug",
      "info",
      "warn",
      "warn",
      "error",
    ]);
  });

  it("that do not exist are refused with those that do", () => {
    expect(() => levelFrom("verbose")).toThrow(InvalidLogLevelError);
    expect(() => levelFrom("verbose")).toThrow(
      'read log level "verbose": not a log level; use one of debug, info, warn, error',
    );
    expect(() => levelFrom("")).toThrow(InvalidLogLevelError);
  });

  it("write lines of the same or a higher severity", () => {
    expect(isWritten("info", "info")).toBe(true);
    expect(isWritten("error", "info")).toBe(true);
    expect(isWritten("debug", "info")).toBe(false);
  });
});
