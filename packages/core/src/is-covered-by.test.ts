import { describe, expect, it } from "vitest";
import { isCoveredBy } from "./is-covered-by.ts";
import { Deployment, StatefulSet } from "./kinds/apps/v1.ts";
import { HorizontalPodAutoscaler } from "./kinds/autoscaling/v2.ts";
import { CronJob, Job } from "./kinds/batch/v1.ts";
import {
  ConfigMap,
  LimitRange,
  PersistentVolumeClaim,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from "./kinds/core/v1.ts";
import { Ingress, NetworkPolicy } from "./kinds/networking/v1.ts";
import { PodDisruptionBudget } from "./kinds/policy/v1.ts";
import { Role, RoleBinding } from "./kinds/rbac/v1.ts";
import { podTemplatesEqual } from "./normal-form.ts";
import type { Resource } from "./resource.ts";

const spec = (fields: object): object => ({ spec: fields });
const ports = (...list: readonly object[]): object => spec({ ports: list });
const http = { name: "http", port: 80, protocol: "TCP", targetPort: 8080 };
const metric = (target: object): object =>
  spec({ metrics: [{ type: "Pods", pods: { metric: { name: "requests" }, target } }] });
const ingress = (...rules: readonly object[]): object => spec({ ingress: rules });
const hostPath = (fields: object): object =>
  spec({ template: { spec: { volumes: [{ name: "host", hostPath: { path: "/a", ...fields } }] } } });

describe("what is desired of an object", () => {
  it.each<[string, Resource, object, object]>([
    [
      "a Service with what the server allocates and defaults",
      Service,
      spec({
        type: "",
        clusterIP: "",
        sessionAffinity: "",
        ports: [{ port: 80, nodePort: 0, targetPort: 0 }],
      }),
      spec({
        type: "ClusterIP",
        clusterIP: "10.0.0.1",
        sessionAffinity: "None",
        ports: [{ port: 80, nodePort: 30_080, targetPort: 80, protocol: "TCP" }],
      }),
    ],
    ["a Service with another port before ours", Service, ports(http), ports({ ...http, port: 79 }, http)],
    ["a Service without a selector", Service, spec({ selector: {} }), spec({})],
    ["a Secret with the default type", Secret, { type: "" }, { type: "Opaque" }],
    [
      "finalizers of other controllers",
      ConfigMap,
      { metadata: { finalizers: ["a"] } },
      { metadata: { finalizers: ["b", "a"] } },
    ],
    [
      "other owners",
      ConfigMap,
      { metadata: { ownerReferences: [{ uid: "2", name: "b" }] } },
      { metadata: { ownerReferences: [{ uid: "1" }, { uid: "2", name: "b" }] } },
    ],
    [
      "a metric with its quantity written otherwise",
      HorizontalPodAutoscaler,
      metric({ type: "AverageValue", averageValue: "0.5" }),
      metric({ type: "AverageValue", averageValue: "500m" }),
    ],
    ["a quota", ResourceQuota, spec({ hard: { cpu: "1000m" } }), spec({ hard: { cpu: "1" } })],
    [
      "limits with what the server derives from them",
      LimitRange,
      spec({ limits: [{ type: "Container", max: { cpu: "1000m" } }] }),
      spec({ limits: [{ type: "Container", max: { cpu: "1" }, default: { cpu: "1" } }] }),
    ],
    [
      "the rules of a policy with the default protocol",
      NetworkPolicy,
      ingress({ ports: [{ port: 80 }] }),
      ingress({ ports: [{ port: 80, protocol: "TCP" }] }),
    ],
    [
      "subjects with their default group",
      RoleBinding,
      { subjects: [{ kind: "User", name: "jane" }] },
      { subjects: [{ kind: "User", name: "jane", apiGroup: "rbac.authorization.k8s.io" }] },
    ],
    [
      "the tokens of a ServiceAccount",
      ServiceAccount,
      { secrets: [{ name: "ours" }] },
      { secrets: [{ name: "token" }, { name: "ours" }] },
    ],
    [
      "claim templates with their defaults",
      StatefulSet,
      spec({ volumeClaimTemplates: [{ metadata: { name: "data" } }] }),
      spec({
        volumeClaimTemplates: [
          { metadata: { name: "data" }, spec: { volumeMode: "Filesystem" }, status: { phase: "Pending" } },
        ],
      }),
    ],
    ["a claim that was bound", PersistentVolumeClaim, spec({ volumeName: "" }), spec({ volumeName: "pv-1" })],
  ])("is there: %s", (_, kind, desired, actual) => {
    expect(isCoveredBy(desired, actual, kind)).toBe(true);
  });

  it.each<[string, Resource, object, object]>([
    ["another port", Service, ports(http), ports({ ...http, targetPort: 8081 })],
    [
      "a selector of less",
      Service,
      spec({ selector: { app: "a" } }),
      spec({ selector: { app: "a", b: "c" } }),
    ],
    ["an empty entry that is missing", ConfigMap, { data: { a: "" } }, { data: {} }],
    [
      "text that looks like a quantity",
      ConfigMap,
      { data: { sizeLimit: "1Gi" } },
      { data: { sizeLimit: "1024Mi" } },
    ],
    ["an empty text in the place of another", ConfigMap, { data: { path: "" } }, { data: { path: "/" } }],
    [
      "another finalizer",
      ConfigMap,
      { metadata: { finalizers: ["a"] } },
      { metadata: { finalizers: ["b"] } },
    ],
    ["0 where the default is never", Job, spec({ ttlSecondsAfterFinished: 0 }), spec({})],
    ["0 where the default is no deadline", CronJob, spec({ startingDeadlineSeconds: 0 }), spec({})],
    [
      "0 where a missing value has another meaning",
      PodDisruptionBudget,
      spec({ maxUnavailable: 0 }),
      spec({}),
    ],
    ["a budget of everything and of nothing", PodDisruptionBudget, spec({ selector: {} }), spec({})],
    [
      "a budget of fewer pods",
      PodDisruptionBudget,
      spec({ selector: { matchLabels: { a: "1" } } }),
      spec({ selector: { matchLabels: { a: "1", b: "2" } } }),
    ],
    [
      "a rule that allows more",
      Role,
      { rules: [{ verbs: ["get"], resources: ["pods"] }] },
      { rules: [{ verbs: ["get"], resources: ["pods"], nonResourceURLs: ["*"] }] },
    ],
    ["a rule more", Role, { rules: [{ verbs: ["get"] }] }, { rules: [{ verbs: ["get"] }, { verbs: ["*"] }] }],
    [
      "peers in other namespaces",
      NetworkPolicy,
      ingress({ from: [{ podSelector: {} }] }),
      ingress({ from: [{ podSelector: {}, namespaceSelector: {} }] }),
    ],
    [
      "a port more",
      NetworkPolicy,
      ingress({ ports: [{ port: 80 }] }),
      ingress({ ports: [{ port: 79 }, { port: 80 }] }),
    ],
    ["peers where all were allowed", NetworkPolicy, ingress({}), ingress({ from: [{ podSelector: {} }] })],
    [
      "a secret that another field manager added to an atomic list",
      ServiceAccount,
      { imagePullSecrets: [{ name: "ours" }] },
      { imagePullSecrets: [{ name: "ours" }, { name: "theirs" }] },
    ],
    [
      "another path where the empty one was meant",
      Ingress,
      spec({ rules: [{ http: { paths: [{ path: "" }] } }] }),
      spec({ rules: [{ http: { paths: [{ path: "/admin" }] } }] }),
    ],
    [
      "another type where none was meant",
      Deployment,
      hostPath({ type: "" }),
      hostPath({ type: "Directory" }),
    ],
    [
      "another metric",
      HorizontalPodAutoscaler,
      metric({ type: "AverageValue", averageValue: "0.5" }),
      metric({ type: "AverageValue", averageValue: "501m" }),
    ],
  ])("is not there: %s", (_, kind, desired, actual) => {
    expect(isCoveredBy(desired, actual, kind)).toBe(false);
  });
});

describe("what is desired of an object of a kind that is not built in", () => {
  const custom = { group: "example.com", kind: "Widget" };

  it.each<[string, object, object]>([
    ["defaults", { spec: { a: 1 } }, { spec: { a: 1, b: 2 } }],
    [
      "defaults in the elements of a list",
      { spec: { ports: [{ port: 1 }] } },
      { spec: { ports: [{ port: 1, weight: 1 }] } },
    ],
    ["nothing stated", { spec: { a: null, b: undefined } }, { spec: { a: 1 } }],
    [
      "labels of other field managers",
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: { a: "1", b: "2" } } },
    ],
  ])("is there in spite of %s", (_, desired, actual) => {
    expect(isCoveredBy(desired, actual, custom)).toBe(true);
  });

  it.each<[string, object, object]>([
    ["false and nothing", { spec: { enabled: false } }, { spec: {} }],
    ["an empty text and another", { spec: { path: "" } }, { spec: { path: "/" } }],
    ["an empty list and another", { spec: { ports: [] } }, { spec: { ports: [1] } }],
    ["an empty object and nothing", { spec: { tls: {} } }, { spec: {} }],
    [
      "texts that mean the same elsewhere",
      { spec: { limits: { cpu: "1" } } },
      { spec: { limits: { cpu: "1000m" } } },
    ],
    ["a number and its digits", { spec: { port: 80 } }, { spec: { port: "80" } }],
    [
      "an element more",
      { spec: { containers: [{ name: "a" }] } },
      { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    ],
    ["a label that is missing", { metadata: { labels: { a: "" } } }, { metadata: {} }],
  ])("is not there for %s", (_, desired, actual) => {
    expect(isCoveredBy(desired, actual, custom)).toBe(false);
  });
});

it("is decided for objects that are nested deeper than the stack", () => {
  const text = (value: number): string => `${'{"a":['.repeat(5_000)}${value}${"]}".repeat(5_000)}`;
  const deep = (value = 1): object => ({ metadata: {}, spec: JSON.parse(text(value)) });
  const custom = { group: "example.com", kind: "Tree" };
  expect(isCoveredBy(deep(), deep(), custom)).toBe(true);
  expect(isCoveredBy(deep(), deep(2), custom)).toBe(false);
  expect(isCoveredBy(deep(), deep(), Deployment)).toBe(false);
  expect(podTemplatesEqual(deep(), deep())).toBe(true);
});
