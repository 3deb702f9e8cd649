import type { KubeObject } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { normalized } from "./normalized.ts";

interface Anything extends KubeObject {
  readonly [field: string]: unknown;
}

/** What one and the same thing looks like in two worlds. */
function pod(world: {
  readonly namespace: string;
  readonly suffix: string;
  readonly uid: string;
  readonly second: number;
}): Anything {
  const { namespace, suffix, uid, second } = world;
  const time = `2026-01-01T00:00:0${second}Z`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...{ namespace, uid, name: `web-${suffix}`, generateName: "web-" },
      ...{
        resourceVersion: String(second),
        creationTimestamp: time,
        labels: { of: `web-${suffix}`, "controller-uid": uid },
      },
      managedFields: [
        { manager: second > 4 ? "a" : "b", operation: "Update", time },
        { manager: second > 4 ? "b" : "a", operation: "Update", time },
      ],
      annotations: { "keelson.dev/applied": `webapp:${suffix}` },
    },
    spec: { nodeName: `node-${second}`, url: `http://web.${namespace}.svc` },
    status: { podIP: `10.0.0.${second}`, startTime: time },
  };
}

const uid = (digit: number): string => `0000000${digit}-0000-4000-8000-000000000000`;
const here = { namespace: "test-abc", suffix: "x7k2p", uid: uid(1), second: 1 };
const there = { namespace: "test-xyz", suffix: "q9w8e", uid: uid(2), second: 7 };

describe("the same, done twice", () => {
  it("is equal, whatever the server chose", () => {
    expect(normalized([pod(here)])).toEqual(normalized([pod(there)]));
  });

  it("is equal in any order", () => {
    const other = { ...pod(here), kind: "Service" };
    expect(normalized([pod(here), other])).toEqual(normalized([other, pod(here)]));
  });

  it("shows where a chosen value was", () => {
    expect(normalized([pod(here)])).toMatchObject([
      {
        metadata: { name: "web-<generated>", namespace: "<namespace>", creationTimestamp: "<time>" },
        spec: { url: "http://web.<namespace>.svc" },
        status: { startTime: "<time>" },
      },
    ]);
  });
});

describe("something else", () => {
  it.each([
    ["another value", [{ ...pod(there), spec: { url: "http://web" } }]],
    ["one object more", [pod(there), pod({ ...there, suffix: "second", uid: uid(3) })]],
    [
      "another name that was not generated",
      [{ ...pod(there), metadata: { namespace: "test-xyz", name: "web-1" } }],
    ],
  ])("is not equal: %s", (_, objects) => {
    expect(normalized(objects)).not.toEqual(normalized([pod(here)]));
  });
});
