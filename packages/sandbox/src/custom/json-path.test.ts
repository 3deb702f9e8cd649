import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJsonPath } from "./json-path.ts";

const root = {
  metadata: { labels: { "a.b/c": "x" } },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Other", status: "False" },
    ],
  },
};

test.each([
  [".metadata.labels.a\\.b/c", ["x"]],
  [".metadata.labels['a.b/c']", ["x"]],
  ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
  [".status.conditions[*].type", ["Ready", "Other"]],
  [".status.conditions[-1].type", ["Other"]],
  ["..status", [root.status, "True", "False"]],
  [".spec.none", []],
])("%s finds what it leads to", (path, found) => {
  expect(parseJsonPath(path)?.(root)).toEqual(found);
});

test("no text makes it crash", () => {
  fc.assert(fc.property(fc.string(), (path) => void parseJsonPath(path)?.(root)));
});
