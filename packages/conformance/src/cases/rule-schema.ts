import type { Fields } from "./manifests.ts";

export const text: Fields = { type: "string", maxLength: 30 };
export const integer: Fields = { type: "integer" };
export const part: Fields = {
  type: "object",
  properties: {
    name: text,
    size: integer,
    inner: { type: "object", properties: { flag: { type: "boolean" } } },
  },
};

/** Of `spec`: something of each kind that rules can look at. */
const properties: Fields = {
  name: text,
  free: { type: "string" },
  count: integer,
  ratio: { type: "number" },
  on: { type: "boolean" },
  note: { type: "string", nullable: true, maxLength: 5 },
  port: { "x-kubernetes-int-or-string": true },
  names: { type: "array", maxItems: 10, items: text },
  frees: { type: "array", items: { type: "string" } },
  numbers: { type: "array", maxItems: 10, items: integer },
  rows: { type: "array", maxItems: 3, items: { type: "array", maxItems: 3, items: integer } },
  part,
  twin: part,
  parts: { type: "array", maxItems: 5, items: part },
  labels: { type: "object", maxProperties: 5, additionalProperties: text },
  byName: { type: "object", maxProperties: 5, additionalProperties: part },
  timeout: { type: "string", format: "duration" },
  since: { type: "string", format: "date-time" },
  day: { type: "string", format: "date" },
  data: { type: "string", format: "byte", maxLength: 20 },
  set: { type: "array", maxItems: 5, "x-kubernetes-list-type": "set", items: text },
  for: text,
  "dashed-name": text,
};

/** A `spec` with all of it. */
export const values: Fields = {
  name: "web",
  free: "Grüße 😀",
  count: 3,
  ratio: 1.5,
  on: true,
  port: "80%",
  names: ["b", "a", "c"],
  frees: ["x"],
  numbers: [3, 1, 2],
  rows: [[1, 2], [3]],
  part: { name: "p", size: 1, inner: { flag: true } },
  twin: { name: "p", size: 1, inner: { flag: true } },
  parts: [{ name: "x", size: 1 }, { name: "y" }],
  labels: { app: "web", tier: "front" },
  byName: { one: { name: "1" } },
  timeout: "1h30m",
  since: "2024-02-29T12:30:45.123456Z",
  day: "2024-02-29",
  data: "aGVsbG8=",
  set: ["a", "b"],
  for: "now",
  "dashed-name": "dashed",
};

/** A schema whose `spec` has the rules. */
export function specWith(rules: readonly Fields[]): Fields {
  return {
    type: "object",
    properties: { spec: { type: "object", properties, "x-kubernetes-validations": rules } },
  };
}
