import { Endpoints, Namespace, Pod, Service } from "@keelson/core/kinds/core/v1";
import { EndpointSlice } from "@keelson/core/kinds/discovery/v1";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type ClusterWorld,
  clusterWorld,
  namespaceNamed,
  podNamed,
  runningStatus,
} from "../../../../test/support/cluster-world.ts";
import { startGarbageCollector } from "../gc/garbage-collector.ts";
import { startEndpointSliceController } from "./endpoint-slice-controller.ts";
import { startEndpointsController } from "./endpoints-controller.ts";
import { startMirrorController } from "./mirror-controller.ts";

let world: ClusterWorld;
beforeEach(async () => {
  world = clusterWorld([
    startEndpointsController,
    startEndpointSliceController,
    startMirrorController,
    startGarbageCollector,
  ]);
  await world.create(Namespace, namespaceNamed("shop"));
});
afterEach(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
  expect(world.clock.pendingTimers).toEqual([]);
});

const web = { namespace: "shop", name: "web" };

function service(spec: Partial<Service["spec"]> = {}): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...web, labels: { tier: "front" } },
    spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: "http" }], ...spec },
  };
}

async function runPod(name: string, ip: string, isReady = true): Promise<void> {
  const ports = [{ name: "http", containerPort: 8080 }];
  const spec = { nodeName: "n1", containers: [{ name: "main", image: "web:1", ports }] };
  await world.create(Pod, podNamed(name, { labels: { app: "web" }, spec }));
  const status = runningStatus(ip, isReady);
  await world.change(Pod, { namespace: "shop", name }, (pod) => ({ ...pod, status }), "status");
}

const slices = (): readonly EndpointSlice[] => world.objects.list(EndpointSlice, "shop");

describe("endpoints", () => {
  it("name the pods that a Service selects, with the numbers of named ports", async () => {
    await world.create(Service, service());
    await runPod("a", "10.0.0.1");
    await runPod("b", "10.0.0.2", false);
    const endpoints = world.get(Endpoints, web);
    expect(endpoints?.metadata.labels).toEqual({
      tier: "front",
      "endpoints.kubernetes.io/managed-by": "endpoint-controller",
    });
    expect(endpoints?.subsets).toEqual([
      {
        addresses: [
          { ip: "10.0.0.1", nodeName: "n1", targetRef: expect.objectContaining({ kind: "Pod", name: "a" }) },
        ],
        notReadyAddresses: [
          { ip: "10.0.0.2", nodeName: "n1", targetRef: expect.objectContaining({ kind: "Pod", name: "b" }) },
        ],
        ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      },
    ]);
  });

  it("stand in a slice that is the Service's and keeps its name", async () => {
    await world.create(Service, service());
    const [empty] = slices();
    expect(empty?.endpoints ?? []).toEqual([]);
    await runPod("a", "10.0.0.1");
    const [slice, ...rest] = slices();
    expect(rest).toEqual([]);
    expect(slice?.metadata.name).toBe(empty?.metadata.name);
    expect(slice).toMatchObject({
      addressType: "IPv4",
      metadata: {
        generateName: "web-",
        labels: {
          tier: "front",
          "kubernetes.io/service-name": "web",
          "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
        },
        ownerReferences: [{ kind: "Service", name: "web", controller: true, blockOwnerDeletion: true }],
      },
      endpoints: [
        {
          addresses: ["10.0.0.1"],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: "n1",
          targetRef: { kind: "Pod", name: "a", namespace: "shop" },
        },
      ],
      ports: [{ name: "http", port: 8080, protocol: "TCP" }],
    });
  });

  it("are serving but not ready while their pod ends", async () => {
    await world.create(Service, service());
    await runPod("a", "10.0.0.1");
    await world.remove(Pod, { namespace: "shop", name: "a" }, { gracePeriodSeconds: 30 });
    expect(slices()[0]?.endpoints?.[0]?.conditions).toEqual({
      ready: false,
      serving: true,
      terminating: true,
    });
    expect(world.get(Endpoints, web)?.subsets).toBeUndefined();
  });

  it("are published before they are ready where the Service says so", async () => {
    await world.create(Service, service({ publishNotReadyAddresses: true, clusterIP: "None" }));
    await runPod("a", "10.0.0.1", false);
    expect(world.get(Endpoints, web)?.subsets?.[0]?.addresses).toHaveLength(1);
    expect(slices()[0]?.endpoints?.[0]?.conditions).toEqual({
      ready: true,
      serving: false,
      terminating: false,
    });
    expect(slices()[0]?.metadata.labels).toHaveProperty("service.kubernetes.io/headless", "");
  });

  it("go with their Service", async () => {
    await world.create(Service, service());
    await runPod("a", "10.0.0.1");
    await world.remove(Service, web);
    await world.settle();
    expect(slices()).toEqual([]);
    expect(world.get(Endpoints, web)).toBeUndefined();
  });

  it("are not written where the Service has no selector", async () => {
    const { selector: _, ...spec } = service().spec ?? {};
    await world.create(Service, { ...service(), spec });
    expect(slices()).toEqual([]);
    expect(world.get(Endpoints, web)).toBeUndefined();
  });
});

describe("Endpoints that a user wrote", () => {
  const ports = [{ name: "db", port: 5432, protocol: "TCP" as const }];
  const written = (subsets: Endpoints["subsets"] = [], labels = {}): Endpoints => ({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { ...web, labels },
    subsets,
  });
  const bare = (): Service => {
    const { selector: _, ...spec } = service().spec ?? {};
    return { ...service(), spec };
  };

  it("stand in a slice too, by family and ports, and follow changes", async () => {
    await world.create(Service, bare());
    const addresses = [{ ip: "1.2.3.4" }, { ip: "fd00::1" }];
    const notReadyAddresses = [{ ip: "1.2.3.5", nodeName: "n1" }, { ip: "1.2.3.4" }];
    await world.create(Endpoints, written([{ addresses, notReadyAddresses, ports }], { team: "db" }));
    const [first, second, ...rest] = slices().toSorted((a, b) => (a.addressType < b.addressType ? -1 : 1));
    expect(rest).toEqual([]);
    expect(first).toMatchObject({
      addressType: "IPv4",
      metadata: {
        labels: {
          team: "db",
          "kubernetes.io/service-name": "web",
          "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
        },
        ownerReferences: [{ kind: "Endpoints", name: "web", controller: true }],
      },
      ports,
    });
    expect(first?.endpoints).toEqual([
      { addresses: ["1.2.3.4"], conditions: { ready: true } },
      { addresses: ["1.2.3.5"], conditions: { ready: false }, nodeName: "n1" },
    ]);
    expect(second).toMatchObject({ addressType: "IPv6", endpoints: [{ addresses: ["fd00::1"] }] });
    await world.change(Endpoints, web, (object) => ({
      ...object,
      subsets: [{ addresses: [{ ip: "1.2.3.6" }], ports }],
    }));
    expect(slices()).toMatchObject([
      { metadata: { name: first?.metadata.name }, endpoints: [{ addresses: ["1.2.3.6"] }] },
    ]);
    const before = world.store.revision;
    await world.clock.advance(3_600_000);
    expect(world.store.revision).toBe(before);
    await world.remove(Endpoints, web);
    expect(slices()).toEqual([]);
  });

  it("are mirrored up to a limit, and an Event counts the rest", async () => {
    await world.create(Service, bare());
    const addresses = Array.from({ length: 1003 }, (_, index) => ({
      ip: `1.2.${index >> 8}.${index & 255}`,
    }));
    await world.create(Endpoints, written([{ addresses, ports }]));
    expect(slices().map(({ endpoints }) => endpoints?.length)).toEqual([1000]);
    const limit = "A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset.";
    expect(world.events()).toEqual([
      `Endpoints web: Warning TooManyAddressesToMirror ${limit} 3 addresses were skipped`,
    ]);
  });

  it.each([
    ["they say so", bare(), { "endpointslice.kubernetes.io/skip-mirror": "true" }],
    ["the Service selects pods itself", service(), {}],
  ])("are not copied where %s", async (_why, given, labels) => {
    await world.create(Endpoints, written([{ addresses: [{ ip: "1.2.3.4" }], ports }], labels));
    await world.create(Service, given);
    expect(slices().filter(({ metadata }) => metadata.ownerReferences?.[0]?.kind === "Endpoints")).toEqual(
      [],
    );
  });
});
