import type { Endpoint, EndpointSlice } from "@keelson/core/kinds/discovery/v1";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planSlices } from "./plan-slices.ts";

function endpoint(number: number): Endpoint {
  return { addresses: [`10.0.0.${number}`], targetRef: { uid: `u${number}` } };
}

const ports = [{ name: "", port: 80, protocol: "TCP" }] as const;

function slice(name: string, endpoints: readonly Endpoint[]): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name },
    addressType: "IPv4",
    endpoints,
    ports,
  };
}

describe("planSlices", () => {
  it("puts each endpoint into exactly one slice, of at most 100", () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 300 });
    fc.assert(
      fc.property(numbers, fc.array(numbers, { maxLength: 3 }), (wanted, existing) => {
        const before = existing.map((list, index) => slice(`s${index}`, list.slice(0, 100).map(endpoint)));
        const endpoints = wanted.map(endpoint);
        const { create, update, remove } = planSlices([{ addressType: "IPv4", ports, endpoints }], before);
        const after = [...create, ...update.map(({ content }) => content)];
        const placed = after.flatMap((content) => content.endpoints.map(({ targetRef }) => targetRef?.uid));
        expect(placed.toSorted()).toEqual(endpoints.map(({ targetRef }) => targetRef?.uid).toSorted());
        expect(after.every((content) => content.endpoints.length <= 100)).toBe(true);
        expect(update.length + remove.length).toBe(before.length);
      }),
    );
  });

  it("leaves endpoints in the slice they are in", () => {
    const before = [slice("a", [endpoint(1)]), slice("b", [endpoint(2)])];
    const group = { addressType: "IPv4", ports, endpoints: [endpoint(1), endpoint(2)] } as const;
    const { create, update } = planSlices([group], before);
    expect(create).toEqual([]);
    expect(update.map(({ slice: { metadata }, content }) => [metadata.name, content.endpoints])).toEqual([
      ["a", [endpoint(1)]],
      ["b", [endpoint(2)]],
    ]);
  });
});
