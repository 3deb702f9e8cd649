import { describe, expect, test } from "vitest";
import { decodeContinue, encodeContinue } from "./continue-token.ts";

describe("a continue token", () => {
  test("is the one that the real server makes", () => {
    const token = encodeContinue({ revision: 924, after: "httplab/c1" }, "httplab");
    expect(token).toBe("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OTI0LCJzdGFydCI6Ii9jMVx1MDAwMCJ9");
    expect(decodeContinue(token, "httplab")).toEqual({ revision: 924, after: "httplab/c1" });
  });

  test("of a list of all namespaces keeps the namespace, and may be of no revision", () => {
    const place = { revision: undefined, after: "shop/a" };
    expect(decodeContinue(encodeContinue(place, undefined), undefined)).toEqual(place);
  });

  test.each([
    ["abc", "invalid character 'i' looking for beginning of value"],
    ["%", "illegal base64 data at input byte 0"],
    ["e30", "server does not recognize this encoded version "],
    [
      Buffer.from('{"v":"meta.k8s.io/v1","start":"a"}').toString("base64url"),
      "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    ],
    [
      Buffer.from('{"v":"meta.k8s.io/v1","rv":5}').toString("base64url"),
      "encoded start key empty (version meta.k8s.io/v1)",
    ],
  ])("%j is refused", (token, why) => {
    expect(() => decodeContinue(token, undefined)).toThrow(
      `invalid continue token: continue key is not valid: ${why}`,
    );
  });
});
