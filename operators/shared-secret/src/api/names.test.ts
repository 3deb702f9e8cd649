import { dnsSubdomainProblem } from "keelson/low-level";
import { describe, expect, it } from "vitest";
import { rotatorAccountOf } from "./names.ts";

const web = { namespace: "shop", kind: "Deployment", name: "web" };

describe("the ServiceAccount of a rotator", () => {
  it("is named after the consumer", () => {
    expect(rotatorAccountOf(web)).toMatch(/^web-rotator-[0-9a-f]{10}$/);
    expect(rotatorAccountOf({ ...web })).toBe(rotatorAccountOf(web));
  });

  it("differs for consumers of another kind or namespace with the same name", () => {
    const names = [web, { ...web, kind: "StatefulSet" }, { ...web, namespace: "other" }].map(
      rotatorAccountOf,
    );
    expect(new Set(names).size).toBe(3);
  });

  it.each(["a".repeat(253), `${"a".repeat(43)}.b`, `${"a".repeat(43)}-b`, "a.b"])(
    "is a valid name for %s",
    (name) => {
      const account = rotatorAccountOf({ ...web, name });
      expect(account.length).toBeLessThanOrEqual(63);
      expect(dnsSubdomainProblem(account)).toBeUndefined();
    },
  );

  it("differs for long names with the same beginning", () => {
    const [a, b] = ["x", "y"].map((end) => rotatorAccountOf({ ...web, name: `${"a".repeat(100)}${end}` }));
    expect(a).not.toBe(b);
  });
});
