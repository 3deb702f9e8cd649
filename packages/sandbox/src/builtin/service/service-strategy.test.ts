import type { Service } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { type TriedFields, tryCreate, tryUpdate } from "../../../test/support/try-strategy.ts";
import { decoded } from "../../resource/mutable-object.ts";
import { serviceStrategy } from "./service-strategy.ts";

const service: TriedFields = { spec: { ports: [{ port: 80 }], selector: { a: "b" } } };

describe("a Service", () => {
  it("gets an address of 10.96.0.0/12, the same for the same name, and never one that another Service has", () => {
    const { object } = tryCreate(serviceStrategy, service);
    const again = tryCreate(serviceStrategy, service).object;
    expect(again).toEqual(object);
    expect(object).toMatchObject({
      spec: {
        clusterIP: expect.stringMatching(/^10\.(9[6-9]|10\d|11[01])\./),
        internalTrafficPolicy: "Cluster",
        ipFamilies: ["IPv4"],
        ipFamilyPolicy: "SingleStack",
        ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
        sessionAffinity: "None",
        type: "ClusterIP",
      },
      status: { loadBalancer: {} },
    });
    const other = { ...object, metadata: { ...object.metadata, namespace: "other" } };
    expect(tryCreate(serviceStrategy, service, [other]).object["spec"]).not.toEqual(object["spec"]);
  });

  it("refuses addresses and ports that another Service has", () => {
    const { object } = tryCreate(serviceStrategy, {
      metadata: { name: "first" },
      spec: { clusterIP: "10.96.0.7", type: "NodePort", ports: [{ port: 80, nodePort: 30001 }] },
    });
    const spec = { clusterIP: "10.96.0.7", type: "NodePort", ports: [{ port: 80, nodePort: 30001 }] };
    expect(tryCreate(serviceStrategy, { spec }, [object]).problems).toEqual([
      'spec.clusterIPs: Invalid value: ["10.96.0.7"]: failed to allocate IP 10.96.0.7: provided IP is already allocated',
      "spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated",
    ]);
  });

  it("has one port on the nodes for one port of two protocols, and none of those left to be chosen", () => {
    const ports = [
      { name: "stream", port: 53 },
      { name: "message", port: 53, protocol: "UDP" },
      { name: "other", port: 54 },
    ];
    const { object } = tryCreate(serviceStrategy, { spec: { type: "NodePort", ports } });
    const { spec } = decoded<Service>(object);
    const [stream = 0, message = 0, other = 0] = (spec?.ports ?? []).map(({ nodePort }) => nodePort);
    expect(message).toBe(stream);
    expect(other).not.toBe(stream);
    expect(Math.min(stream, other)).toBeGreaterThanOrEqual(30086);
  });

  it("refuses a node port that two of its own ports request", () => {
    const ports = [
      { name: "a", port: 80, nodePort: 30001 },
      { name: "b", port: 81, nodePort: 30001, protocol: "UDP" },
    ];
    expect(tryCreate(serviceStrategy, { spec: { type: "NodePort", ports } }).problems).toEqual([
      "spec.ports[1].nodePort: Invalid value: 30001: provided port is already allocated",
    ]);
  });

  it("keeps its address", () => {
    const { object } = tryCreate(serviceStrategy, service);
    const { problems } = tryUpdate(serviceStrategy, object, (changed) => {
      Object.assign(changed["spec"] ?? {}, { clusterIP: "10.96.0.77" });
    });
    expect(problems).toEqual(['spec.clusterIPs[0]: Invalid value: ["10.96.0.77"]: may not change once set']);
  });

  it("drops what only its old type had", () => {
    const { object } = tryCreate(serviceStrategy, { spec: { ports: [{ port: 80 }], type: "NodePort" } });
    const toClusterIP = tryUpdate(serviceStrategy, object, (changed) => {
      Object.assign(changed["spec"] ?? {}, { type: "ClusterIP" });
    });
    expect(toClusterIP.problems).toEqual([]);
    expect(toClusterIP.object).toMatchObject({
      spec: { ports: [{ port: 80, protocol: "TCP", targetPort: 80 }] },
    });
    expect(toClusterIP.object["spec"]).not.toHaveProperty("externalTrafficPolicy");
    const toName = tryUpdate(serviceStrategy, object, (changed) => {
      Object.assign(changed["spec"] ?? {}, { type: "ExternalName", externalName: "a.b" });
    });
    expect(toName.object["spec"]).toEqual({
      externalName: "a.b",
      ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
      sessionAffinity: "None",
      type: "ExternalName",
    });
  });
});
