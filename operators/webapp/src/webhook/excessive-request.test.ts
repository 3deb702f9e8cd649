import { expect, it } from "vitest";
import { excessiveRequest } from "./excessive-request.ts";

it("names a request that is greater than its limit, in any notation", () => {
  expect(excessiveRequest(undefined)).toBeUndefined();
  expect(excessiveRequest({ requests: { cpu: 1 }, limits: { cpu: "1000m", memory: "1Mi" } })).toBeUndefined();
  expect(excessiveRequest({ requests: { cpu: "1001m" }, limits: { cpu: 1 } })).toBe(
    "resources: the request for cpu (1001m) is greater than its limit (1)",
  );
});

it("ignores an invalid quantity, which the API server refuses", () => {
  expect(excessiveRequest({ requests: { cpu: "much" }, limits: { cpu: 1 } })).toBeUndefined();
});
