import { expect, it } from "vitest";
import { isStatus } from "./status.ts";

it("takes for a Status what the core group calls so, and nothing else", () => {
  expect(isStatus({ apiVersion: "v1", kind: "Status", status: "Failure", reason: "NotFound" })).toBe(true);
  const others = [
    { apiVersion: "example.com/v1", kind: "Status" },
    { apiVersion: "v1", kind: "Pod" },
    { kind: "Status" },
    null,
    "Status",
    [{ apiVersion: "v1", kind: "Status" }],
  ];
  expect(others.map(isStatus)).toEqual(others.map(() => false));
});
