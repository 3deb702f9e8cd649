import { expect, test } from "vitest";
import { tryCreate } from "../../../test/support/try-strategy.ts";
import { endpointSliceStrategy } from "./endpoint-slice.ts";

function problemsOf(slice: Readonly<Record<string, unknown>>): readonly string[] {
  return tryCreate(endpointSliceStrategy, slice).problems;
}

test("a slice without endpoints and ports has null in their place, and is sound", () => {
  expect(problemsOf({ addressType: "IPv4", endpoints: null, ports: null })).toEqual([]);
  expect(problemsOf({ addressType: "IPv4" })).toEqual([]);
});

test("an endpoint without addresses may have null in their place, and is refused", () => {
  expect(problemsOf({ addressType: "IPv4", endpoints: [{ addresses: null }] })).toEqual([
    "endpoints[0].addresses: Required value: must contain at least 1 address",
  ]);
});

test("addresses are of the type of the slice", () => {
  expect(problemsOf({ addressType: "IPv4", endpoints: [{ addresses: ["::2"] }] })).toEqual([
    'endpoints[0].addresses: Invalid value: "::2": must be an IPv4 address',
  ]);
  expect(problemsOf({ addressType: "FQDN", endpoints: [{ addresses: ["a", "a.b."] }] })).toEqual([
    'endpoints[0].addresses[0]: Invalid value: "a": should be a domain with at least two segments separated by dots',
  ]);
});

test("ports have different names", () => {
  expect(problemsOf({ addressType: "IPv4", ports: [{ port: 1 }, { port: 2 }] })).toEqual([
    'ports[1].name: Duplicate value: ""',
  ]);
});
