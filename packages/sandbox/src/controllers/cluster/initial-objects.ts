import { type KubeObject, keyOf, type Resource } from "@keelson/core";
import { Namespace, Service } from "@keelson/core/kinds/core/v1";
import { EndpointSlice } from "@keelson/core/kinds/discovery/v1";
import type { ObjectApi } from "../../server/write/object-api.ts";
import { ApiError } from "../../status/api-error.ts";

export interface InitialObjectsOptions {
  readonly objects: ObjectApi;
  /**
   * Where the API server listens. Left out, or a loopback address: it has no endpoints, as such servers in clusters.
   */
  readonly address?: { readonly ip: string; readonly port: number };
  /** The first address of the range of services. Default: 10.96.0.1. */
  readonly serviceAddress?: string;
}

const manager = "kube-apiserver";
const namespaces = ["kube-system", "kube-public", "kube-node-lease", "default"];

/** Creates the objects that every cluster has from the beginning, unless they exist. */
export async function createInitialObjects(options: InitialObjectsOptions): Promise<void> {
  const { objects, address } = options;
  for (const name of namespaces) {
    await createOnce(objects, Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  await createOnce(objects, Service, apiService(options));
  if (address !== undefined && !isLoopback(address.ip)) {
    await createOnce(objects, EndpointSlice, apiEndpoints(address));
  }
}

function isLoopback(ip: string): boolean {
  return ip.startsWith("127.") || ip === "::1";
}

function apiService({ address, serviceAddress = "10.96.0.1" }: InitialObjectsOptions): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "kubernetes",
      namespace: "default",
      labels: { component: "apiserver", provider: "kubernetes" },
    },
    spec: {
      clusterIP: serviceAddress,
      ipFamilyPolicy: "SingleStack",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: address?.port ?? 443 }],
      sessionAffinity: "None",
      type: "ClusterIP",
    },
  };
}

function apiEndpoints({ ip, port }: { readonly ip: string; readonly port: number }): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: "kubernetes",
      namespace: "default",
      labels: { "kubernetes.io/service-name": "kubernetes" },
    },
    addressType: ip.includes(":") ? "IPv6" : "IPv4",
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports: [{ name: "https", port, protocol: "TCP" }],
  };
}

async function createOnce<T extends KubeObject>(
  objects: ObjectApi,
  resource: Resource<T>,
  object: T,
): Promise<void> {
  if (objects.get(resource, keyOf(object)) !== undefined) return;
  try {
    await objects.create(resource, object, { manager });
  } catch (error) {
    const isThere = error instanceof ApiError && error.status.reason === "AlreadyExists";
    if (!isThere) throw error;
  }
}
