import type { PolicyRule } from "@keelson/core/kinds/rbac/v1";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AccessRequest } from "./access.ts";
import { describeRules, ruleAllows, uncoveredRules } from "./policy-rule.ts";

const list = (...values: readonly string[]): fc.Arbitrary<string[]> =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
const rule: fc.Arbitrary<PolicyRule> = fc.record(
  {
    apiGroups: list("", "apps", "*"),
    resources: list("pods", "pods/log", "*/log", "*"),
    verbs: list("get", "list", "*"),
    resourceNames: list("a", "b"),
  },
  { requiredKeys: ["apiGroups", "resources", "verbs"] },
);
const request: fc.Arbitrary<AccessRequest> = fc.record(
  {
    verb: fc.constantFrom("get", "list", "watch"),
    group: fc.constantFrom("", "apps", "batch"),
    resource: fc.constantFrom("pods", "nodes"),
    subresource: fc.constantFrom("log", "exec"),
    name: fc.constantFrom("a", "b", "c"),
  },
  { requiredKeys: ["verb", "group", "resource"] },
);

describe("uncoveredRules", () => {
  it("finds nothing missing only if every requested access is allowed already", () => {
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 3 }),
        fc.array(rule, { maxLength: 3 }),
        request,
        (owned, wanted, one) => {
          fc.pre(uncoveredRules(owned, wanted).length === 0);
          const isWanted = wanted.some((rule) => ruleAllows(rule, one));
          expect(!isWanted || owned.some((rule) => ruleAllows(rule, one))).toBe(true);
        },
      ),
    );
  });

  it("finds nothing missing of the owned rules", () => {
    fc.assert(
      fc.property(fc.array(rule), (rules) => {
        expect(uncoveredRules(rules, rules)).toEqual([]);
      }),
    );
  });

  it("compares paths, with a star at their end", () => {
    const owned = [{ nonResourceURLs: ["/api/*"], verbs: ["get"] }];
    const wanted = [{ nonResourceURLs: ["/api/v1", "/apis"], verbs: ["get", "post"] }];
    expect(describeRules(uncoveredRules(owned, wanted))).toBe(
      [
        '{NonResourceURLs:["/api/v1"], Verbs:["post"]}',
        '{NonResourceURLs:["/apis"], Verbs:["get"]}',
        '{NonResourceURLs:["/apis"], Verbs:["post"]}',
      ].join("\n"),
    );
  });
});
