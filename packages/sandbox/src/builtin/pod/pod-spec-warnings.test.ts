import { describe, expect, it } from "vitest";
import { podSpecWarnings, templateWarnings } from "./pod-spec-warnings.ts";

const env = [
  { name: "A", value: "1" },
  { name: "A", value: "2" },
];
const hidden =
  'spec.template.spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply';

describe("warnings about a pod", () => {
  it("report a variable that hides another, and not one that adds to it", () => {
    const adding = [env[0] ?? {}, { name: "A", value: "$(A):2" }];
    const copying = [env[0] ?? {}, { name: "A", value: "$(A)" }];
    const warnings = [env, adding, copying].map((variables) =>
      podSpecWarnings({ containers: [{ name: "main", env: variables }] }, "spec"),
    );
    expect(warnings.map(({ length }) => length)).toEqual([1, 0, 1]);
  });

  it("report ports that occur twice, over all containers", () => {
    const port = { containerPort: 80, protocol: "TCP", name: "web" };
    const containers = [
      { name: "one", ports: [port] },
      { name: "two", ports: [port] },
    ];
    expect(podSpecWarnings({ containers }, "spec")).toEqual([
      "spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]",
      'spec.containers[1].ports[0]: duplicate port name "web" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
    ]);
  });

  it("are empty for a usual pod", () => {
    const container = { name: "main", env: [{ name: "A", value: "1" }], ports: [{ containerPort: 80 }] };
    expect(podSpecWarnings({ containers: [container], nodeSelector: { a: "b" } }, "spec")).toEqual([]);
  });

  it("are given for a template when its owner is new or has a new generation", () => {
    const template = { spec: { containers: [{ name: "main", env }] } };
    const first = { metadata: { generation: 1 } };
    const second = { metadata: { generation: 2 } };
    expect(templateWarnings(template, first, undefined)).toEqual([hidden]);
    expect(templateWarnings(template, second, first)).toEqual([hidden]);
    expect(templateWarnings(template, first, first)).toEqual([]);
  });
});
