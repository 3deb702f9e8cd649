import { describe, expect, it } from "vitest";
import { unionConflictPatch } from "./union-conflicts.ts";

const service = (...ports: readonly object[]) => ({ spec: { ports } });
const pod = (...containers: readonly object[]) => ({ containers });

describe("the patch of a port", () => {
  it("is empty if every name has its number, or is new", () => {
    const http = { name: "http", port: 80 };
    expect(unionConflictPatch(service({ ...http, protocol: "TCP" }), service(http))).toEqual([]);
    expect(unionConflictPatch(service(), service(http))).toEqual([]);
    expect(unionConflictPatch({}, service(http))).toEqual([]);
    expect(unionConflictPatch(service({ port: 81 }), service({ port: 80 }))).toEqual([]);
  });

  it("keeps the other fields of the port, and corrects its protocol", () => {
    const moved = { name: "dns", port: 53, protocol: "UDP", nodePort: 30_053 };
    expect(unionConflictPatch(service(moved), service({ name: "dns", port: 53, protocol: "TCP" }))).toEqual([
      { op: "test", path: "/spec/ports/0", value: moved },
      { op: "replace", path: "/spec/ports/0", value: { ...moved, protocol: "TCP" } },
    ]);
  });

  it("removes ports whose number another port has, from the end", () => {
    const [a, b] = [
      { name: "a", port: 3 },
      { name: "b", port: 4 },
    ];
    const existing = service(a, b, { name: "x", port: 1 }, { name: "y", port: 2 });
    expect(unionConflictPatch(existing, service({ name: "a", port: 1 }, { name: "b", port: 2 }))).toEqual([
      { op: "test", path: "/spec/ports/1", value: b },
      { op: "remove", path: "/spec/ports/1" },
      { op: "test", path: "/spec/ports/0", value: a },
      { op: "remove", path: "/spec/ports/0" },
    ]);
  });

  it("is in the container of the same name", () => {
    const web = (containerPort: number) => ({ name: "web", ports: [{ name: "http", containerPort }] });
    expect(unionConflictPatch(pod({ name: "proxy", ports: [] }, web(81)), pod(web(80)))).toEqual([
      { op: "test", path: "/containers/1/ports/0", value: { name: "http", containerPort: 81 } },
      { op: "replace", path: "/containers/1/ports/0", value: { name: "http", containerPort: 80 } },
    ]);
  });
});

describe("the patch of a union", () => {
  it.each<[string, object, object, string, object]>([
    [
      "a source of a variable",
      { env: [{ name: "A", valueFrom: { fieldRef: {} } }] },
      { env: [{ name: "A", value: "1" }] },
      "/env/0",
      { name: "A", value: "1" },
    ],
    [
      "a source within a source",
      { env: [{ name: "A", valueFrom: { fieldRef: {} } }] },
      { env: [{ name: "A", valueFrom: { secretKeyRef: {} } }] },
      "/env/0/valueFrom",
      { secretKeyRef: {} },
    ],
    [
      "a volume",
      { volumes: [{ name: "a", emptyDir: {} }] },
      { volumes: [{ name: "a", configMap: {} }] },
      "/volumes/0",
      { name: "a", configMap: {} },
    ],
    [
      "a probe, of which another manager keeps the timings",
      { livenessProbe: { tcpSocket: { port: 80 }, periodSeconds: 7 } },
      { livenessProbe: { exec: { command: ["true"] } } },
      "/livenessProbe",
      { exec: { command: ["true"] }, periodSeconds: 7 },
    ],
  ])("is ours for %s", (_, existing, desired, path, value) => {
    const [test, replace] = unionConflictPatch(existing, desired);
    expect(test).toMatchObject({ op: "test", path });
    expect(replace).toEqual({ op: "replace", path, value });
    expect(unionConflictPatch(desired, desired)).toEqual([]);
  });
});
