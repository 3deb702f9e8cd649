import { describe, expect, it } from "vitest";
import { impersonationHeaders, lacksImpersonatedUser } from "./impersonation.ts";

describe("impersonation", () => {
  it("is a header for each part", () => {
    const user = {
      as: "bob",
      "as-uid": "17",
      "as-groups": ["a", "b"],
      "as-user-extra": { "example.com/Scopes": ["x", "y"], "50%": ["z"], none: [] },
    };
    expect(impersonationHeaders(user)).toEqual({
      "impersonate-user": "bob",
      "impersonate-uid": "17",
      "impersonate-group": ["a", "b"],
      "impersonate-extra-example.com%2fscopes": ["x", "y"],
      "impersonate-extra-50%25": ["z"],
    });
  });

  it("joins extra keys that differ by case, which are the same to the server", () => {
    const extra = { Team: ["a"], team: ["b"] };
    expect(impersonationHeaders({ as: "bob", "as-user-extra": extra })).toEqual({
      "impersonate-user": "bob",
      "impersonate-extra-team": ["a", "b"],
    });
  });

  it("is nothing without a user, and a mistake with all but one", () => {
    expect(impersonationHeaders({ "as-groups": ["a"] })).toEqual({});
    expect(lacksImpersonatedUser({ "as-groups": ["a"] })).toBe(true);
    expect(lacksImpersonatedUser({ "as-uid": "1" })).toBe(true);
    expect(lacksImpersonatedUser({ "as-user-extra": { a: [] } })).toBe(true);
    expect(lacksImpersonatedUser({ as: "bob", "as-groups": ["a"] })).toBe(false);
    expect(lacksImpersonatedUser({ "as-groups": [] })).toBe(false);
  });
});
