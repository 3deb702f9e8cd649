import { describe, expect, it } from "vitest";
import { HealthCheckRefusedError } from "./errors.ts";
import { HealthChecks } from "./health-checks.ts";

const well = (): void => undefined;

describe("health checks", () => {
  it("[MG8] can be added only before they are served", () => {
    const checks = new HealthChecks().add("b", well).add("a", well);
    checks.seal();
    expect(() => checks.add("late", well)).toThrow(HealthCheckRefusedError);
    expect(() => checks.add("late", well)).toThrow("add it before the start");
    expect(checks.all.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("have names of their own that fit into a path", () => {
    const checks = new HealthChecks().add("lease", well);
    expect(() => checks.add("lease", well)).toThrow('add health check "lease": another check has this name');
    for (const name of ["", "a/b", "a b", "?x", "ü"])
      expect(() => checks.add(name, well)).toThrow(HealthCheckRefusedError);
    expect(() => checks.add("x", well, { timeoutMs: 0 })).toThrow("its time limit must be more than 0 ms");
    expect(() => checks.add("x", well, { timeoutMs: Number.NaN })).toThrow(HealthCheckRefusedError);
  });
});
