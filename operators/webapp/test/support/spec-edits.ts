import type { SpecEdits } from "@keelson/testkit";
import { Deployment } from "keelson/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "keelson/kinds/autoscaling/v2";
import { Service } from "keelson/kinds/core/v1";
import { Ingress } from "keelson/kinds/networking/v1";
import { WebApp } from "../../src/api/web-app.ts";

const base = { image: "web:1", replicas: 0 };

const timings = {
  failureThreshold: 5,
  initialDelaySeconds: 6,
  periodSeconds: 7,
  timeoutSeconds: 9,
};
/** Of probes after which the container is restarted. */
const graceful = { ...timings, successThreshold: 1, terminationGracePeriodSeconds: 8 };
const httpGet = {
  host: "example.com",
  httpHeaders: [{ name: "A", value: "1" }],
  path: "/up",
  port: "http",
  scheme: "HTTPS",
};
const host = "web.example.com";
const from = (valueFrom: object) => [{ name: "A", valueFrom }];

/** The probe with each handler, with timings and without, under each name. */
function probes(field: string, timings: object): SpecEdits["specs"] {
  return {
    [`${field} by exec`]: { ...base, [field]: { exec: { command: ["true"] } } },
    [`${field} by gRPC`]: { ...base, [field]: { grpc: { port: 9000, service: "up" } } },
    [`${field} by HTTP`]: { ...base, [field]: { httpGet, ...timings } },
    [`${field} by TCP`]: { ...base, [field]: { tcpSocket: { host: "example.com", port: 80 } } },
  };
}

const specs: SpecEdits["specs"] = {
  "a plain WebApp": base,
  "the image": { ...base, image: "web:2" },
  "the image to latest": { ...base, image: "web:latest", allowLatest: true },
  "the image to one without a tag": { ...base, image: "web", allowLatest: true },
  "the image to a digest": { ...base, image: `web@sha256:${"a".repeat(64)}` },
  "the image to latest with a digest": { ...base, image: `web:latest@sha256:${"a".repeat(64)}` },
  replicas: { ...base, replicas: 1 },
  port: { ...base, port: 8080 },
  "the value of a variable": { ...base, env: [{ name: "A", value: "1" }] },
  "variables in another order": {
    ...base,
    env: [
      { name: "B", value: "2" },
      { name: "A", value: "$(B)" },
    ],
  },
  "a variable from a field": { ...base, env: from({ fieldRef: { fieldPath: "metadata.name" } }) },
  "a variable from a Secret": {
    ...base,
    env: from({ secretKeyRef: { name: "s", key: "k", optional: true } }),
  },
  "a variable from a ConfigMap": {
    ...base,
    env: from({ configMapKeyRef: { name: "c", key: "k", optional: false } }),
  },
  envFrom: {
    ...base,
    envFrom: [
      { prefix: "A_", configMapRef: { name: "c", optional: true } },
      { secretRef: { name: "s", optional: true } },
    ],
  },
  resources: { ...base, resources: { requests: { cpu: "100m" }, limits: { cpu: 1, memory: "0.5Gi" } } },
  ...probes("livenessProbe", graceful),
  ...probes("readinessProbe", { ...timings, successThreshold: 2 }),
  ...probes("startupProbe", graceful),
  "serviceType to NodePort": { ...base, serviceType: "NodePort" },
  "serviceType to LoadBalancer": { ...base, serviceType: "LoadBalancer" },
  "serviceType and port": { ...base, serviceType: "NodePort", port: 8080 },
  ingress: {
    ...base,
    ingress: {
      ...{ host, path: "/shop", className: "fast" },
      ...{ tls: { secretName: "host-tls" }, annotations: { "example.com/issuer": "letters" } },
    },
  },
  autoscaling: {
    ...base,
    autoscaling: { minReplicas: 2, maxReplicas: 3, targetCPUUtilizationPercentage: 70 },
  },
  imagePullSecrets: { ...base, imagePullSecrets: [{ name: "registry" }] },
  serviceAccountName: { ...base, serviceAccountName: "privileged" },
};

/** A WebApp is taken through specs that together change every field. */
export const specEdits: SpecEdits = {
  resource: WebApp,
  specs,
  owned: [Deployment, Service, Ingress, HorizontalPodAutoscaler],
  fixedFields: ["component", "readinessProbe.terminationGracePeriodSeconds"],
};
