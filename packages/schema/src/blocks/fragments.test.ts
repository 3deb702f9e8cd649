import { type Condition, type LabelSelector, setCondition } from "@keelson/core";
import type { Container } from "@keelson/core/kinds/core/v1";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import {
  conditions,
  imagePullSecrets,
  labelSelector,
  resourceRequirements,
  textResources,
} from "./fragments.ts";
import { embeddedResource } from "./scalars.ts";

const condition: Condition = {
  type: "example.com/Ready",
  status: "True",
  lastTransitionTime: "2026-01-02T03:04:05Z",
  reason: "AllUp",
  message: "",
};

describe("conditions", () => {
  it("are those of core", () => {
    expect(conditions().parse([condition])).toEqual([condition]);
    expectTypeOf<z.output<ReturnType<typeof conditions>>>().toExtend<readonly Condition[]>();
    expectTypeOf(setCondition).parameter(0).toExtend<readonly Condition[] | undefined>();
  });

  it.each<[string, Partial<Record<keyof Condition, unknown>>]>([
    ["a type with spaces", { type: "not ready" }],
    ["a status of another kind", { status: "Maybe" }],
    ["an empty reason", { reason: "" }],
    ["a reason with spaces", { reason: "all up" }],
    ["a time that is none", { lastTransitionTime: "now" }],
    ["a negative generation", { observedGeneration: -1 }],
  ])("refuse %s", (_, change) => {
    expect(conditions().safeParse([{ ...condition, ...change }]).success).toBe(false);
  });
});

it("selects by label as core does", () => {
  const selector: LabelSelector = { matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] };
  expect(labelSelector().parse(selector)).toEqual(selector);
  expect(labelSelector().safeParse({ matchLabels: { a: 1 } }).success).toBe(false);
});

it("asks for resources by quantity", () => {
  expect(resourceRequirements().parse({ requests: { cpu: "500m" } })).toEqual({ requests: { cpu: "500m" } });
  expect(resourceRequirements().safeParse({ limits: { memory: "much" } }).success).toBe(false);
});

it("writes resources as containers take them", () => {
  expect(textResources({ requests: { cpu: 1, memory: "1Gi" } })).toEqual({
    requests: { cpu: "1", memory: "1Gi" },
  });
  expectTypeOf(textResources({})).toExtend<NonNullable<Container["resources"]>>();
});

it("takes the Secrets of registries by name", () => {
  expect(imagePullSecrets().parse([{ name: "a" }])).toEqual([{ name: "a" }]);
  expect(imagePullSecrets().safeParse([{ name: "" }]).success).toBe(false);
});

it("takes a whole object for an embedded one, with whatever it has", () => {
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { any: "thing" } };
  expect(embeddedResource().parse(pod)).toEqual(pod);
  expect(embeddedResource().safeParse({ kind: "Pod", metadata: {} }).success).toBe(false);
});
