import { describe, expect, it } from "vitest";
import { occurrenceOf } from "./occurrence.ts";

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "shop", name: "web", uid: "u1", resourceVersion: "7", labels: { a: "b" } },
};
const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } };

describe("an occurrence", () => {
  it("refers to the object and the related one, with the reason as its action unless one is given", () => {
    const event = { type: "Normal", reason: "Bound", message: "bound", related: node } as const;
    expect(occurrenceOf(pod, event, 5)).toEqual({
      regarding: {
        apiVersion: "v1",
        kind: "Pod",
        namespace: "shop",
        name: "web",
        uid: "u1",
        resourceVersion: "7",
      },
      related: { apiVersion: "v1", kind: "Node", name: "n1" },
      type: "Normal",
      reason: "Bound",
      action: "Bound",
      note: "bound",
      atMs: 5,
    });
    expect(occurrenceOf(pod, { ...event, action: "Bind" }, 5)?.action).toBe("Bind");
  });

  it("needs an object with kind and name", () => {
    const event = { type: "Normal", reason: "r", message: "m" } as const;
    expect(occurrenceOf({ ...pod, metadata: {} }, event, 0)).toBeUndefined();
    expect(occurrenceOf({ ...pod, kind: "" }, event, 0)).toBeUndefined();
  });

  it("has texts as long as the server takes, in bytes, with no character cut in half", () => {
    const event = { type: "Normal", reason: "R".repeat(200), message: "ü".repeat(600) } as const;
    const occurrence = occurrenceOf(pod, event, 0);
    expect(Buffer.byteLength(occurrence?.reason ?? "")).toBe(128);
    expect(occurrence?.note).toBe(`${"ü".repeat(510)}…`);
    const exact = { ...event, message: "x".repeat(1024) };
    expect(occurrenceOf(pod, exact, 0)?.note).toBe(exact.message);
  });
});
