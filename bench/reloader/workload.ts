import type { Client } from "keelson";
import { DaemonSet, Deployment, StatefulSet } from "keelson/kinds/apps/v1";
import type { PodSpec } from "keelson/kinds/core/v1";
import type { Content } from "./content.ts";

/** The kinds of workloads in the scenarios. */
type WorkloadKind = "Deployment" | "StatefulSet" | "DaemonSet";

/** The label of all workloads of the scenarios. */
export const workloadLabel = "bench=reloader";

export interface WorkloadOptions {
  readonly kind?: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  /** What its pods use. */
  readonly contents: readonly Content[];
  readonly annotations?: Readonly<Record<string, string>>;
  /** Default: one container with `envFrom` of every content. */
  readonly pod?: PodSpec;
}

/** A workload, by what counts for it. */
export interface Workload {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  readonly contents: readonly Content[];
}

/** Creates a workload that upstream's `auto` annotation reloads for everything that it uses. */
export async function createWorkload(client: Client, options: WorkloadOptions): Promise<Workload> {
  const { kind = "Deployment", namespace, name, contents, annotations = {} } = options;
  const metadata = {
    namespace,
    name,
    labels: { bench: "reloader" },
    annotations: { "reloader.stakater.com/auto": "true", ...annotations },
  };
  const pod = options.pod ?? {
    containers: [{ name: "app", image: "app:1", envFrom: contents.map(envFrom) }],
  };
  const selector = { matchLabels: { app: name } };
  const template = {
    metadata: { labels: { app: name } },
    spec: { terminationGracePeriodSeconds: 0, ...pod },
  };
  if (kind === "Deployment") {
    const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } };
    await client.create(Deployment, { metadata, spec: { replicas: 1, selector, template, strategy } });
  } else if (kind === "StatefulSet")
    await client.create(StatefulSet, { metadata, spec: { serviceName: name, selector, template } });
  else await client.create(DaemonSet, { metadata, spec: { selector, template } });
  return { kind, namespace, name, contents };
}

function envFrom({ kind, name }: Content): object {
  return kind === "Secret" ? { secretRef: { name } } : { configMapRef: { name } };
}

/** A pod that uses a ConfigMap in four ways, and another one in a projected volume. */
export function complexPod(own: Content, neighbour: Content): PodSpec {
  const first = { name: "FIRST", valueFrom: { configMapKeyRef: { name: own.name, key: "first" } } };
  return {
    initContainers: [{ name: "init", image: "app:1", envFrom: [{ configMapRef: { name: own.name } }] }],
    containers: [
      {
        ...{ name: "app", image: "app:1", env: [first] },
        volumeMounts: [
          { name: "plain", mountPath: "/plain" },
          { name: "projected", mountPath: "/projected" },
        ],
      },
    ],
    volumes: [
      { name: "plain", configMap: { name: own.name } },
      {
        name: "projected",
        projected: {
          sources: [own, neighbour].map(({ name }) => ({
            configMap: { name, items: [{ key: "first", path: name }] },
          })),
        },
      },
    ],
  };
}
