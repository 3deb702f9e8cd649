import { describe, expect, it } from "vitest";
import { draft } from "./immutable.ts";
import { isCoveredBy } from "./is-covered-by.ts";
import { podTemplatesEqual } from "./normal-form.ts";

const container = (fields: object): object => ({ spec: { containers: [{ name: "web", ...fields }] } });
const spec = (fields: object): object => ({ spec: { containers: [{ name: "web" }], ...fields } });
const volume = (fields: object): object => spec({ volumes: [{ name: "data", ...fields }] });

describe("two pod templates", () => {
  it.each<[string, object, object]>([
    ["null and nothing", { metadata: { creationTimestamp: null } }, {}],
    ["an empty list and none", container({ args: [], env: [] }), container({})],
    ["empty maps and none", spec({ nodeSelector: {}, securityContext: {} }), spec({})],
    ["maps of nothing but empty maps", container({ resources: { limits: {}, requests: {} } }), container({})],
    [
      "quantities of CPU",
      container({ resources: { limits: { cpu: "1" } } }),
      container({ resources: { limits: { cpu: "1000m" } } }),
    ],
    [
      "a quantity as a number",
      container({ resources: { limits: { cpu: 2 } } }),
      container({ resources: { limits: { cpu: "2" } } }),
    ],
    [
      "quantities of memory",
      container({ resources: { requests: { memory: "1Gi" } } }),
      container({ resources: { requests: { memory: "1024Mi" } } }),
    ],
    [
      "a quantity that the server rounds",
      container({ resources: { limits: { cpu: "1100u" } } }),
      container({ resources: { limits: { cpu: "2m" } } }),
    ],
    [
      "sizes of a volume",
      volume({ emptyDir: { sizeLimit: "1Gi" } }),
      volume({ emptyDir: { sizeLimit: "1024Mi" } }),
    ],
    [
      "no divisor and the server's 0",
      container({ env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } }] }),
      container({
        env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "0" } } }],
      }),
    ],
    [
      "ports as number and digits",
      container({ livenessProbe: { tcpSocket: { port: 80 } } }),
      container({ livenessProbe: { tcpSocket: { port: "80" } } }),
    ],
    ["zero values that are not stored", spec({ hostNetwork: false, subdomain: "" }), spec({})],
    [
      "an empty variable and one without a value",
      container({ env: [{ name: "A", value: "" }] }),
      container({ env: [{ name: "A" }] }),
    ],
    ["fields in another order", { spec: { a: 1, b: 2 } }, { spec: { b: 2, a: 1 } }],
  ])("are equal in spite of %s", (_, a, b) => {
    expect(podTemplatesEqual(a, b)).toBe(true);
    expect(podTemplatesEqual(b, a)).toBe(true);
    expect(isCoveredBy(a, b)).toBe(true);
    expect(isCoveredBy(b, a)).toBe(true);
  });

  it.each<[string, object, object]>([
    [
      "quantities",
      container({ resources: { limits: { cpu: "1" } } }),
      container({ resources: { limits: { cpu: "1001m" } } }),
    ],
    ["a limit of 0 and none", container({ resources: { limits: { cpu: "0" } } }), container({})],
    [
      "what is not a quantity",
      container({ resources: { limits: { cpu: "1K" } } }),
      container({ resources: { limits: { cpu: "1k" } } }),
    ],
    ["images", container({ image: "nginx:1" }), container({ image: "nginx:2" })],
    ["the order of arguments", container({ args: ["a", "b"] }), container({ args: ["b", "a"] })],
    ["an empty argument", container({ args: [""] }), container({ args: [] })],
    ["an empty label", { metadata: { labels: { a: "" } } }, { metadata: { labels: {} } }],
    ["false where the default is true", spec({ automountServiceAccountToken: false }), spec({})],
    ["root and no user", container({ securityContext: { runAsUser: 0 } }), container({})],
    [
      "a selector of everything and none",
      spec({ topologySpreadConstraints: [{ topologyKey: "zone", labelSelector: {} }] }),
      spec({ topologySpreadConstraints: [{ topologyKey: "zone" }] }),
    ],
    ["kinds of volumes", volume({ projected: {} }), volume({ emptyDir: {} })],
    [
      "the order of variables",
      container({ env: [{ name: "A" }, { name: "B" }] }),
      container({ env: [{ name: "B" }, { name: "A" }] }),
    ],
    [
      "ports",
      container({ livenessProbe: { tcpSocket: { port: 80 } } }),
      container({ livenessProbe: { tcpSocket: { port: "http" } } }),
    ],
  ])("differ for %s", (_, a, b) => {
    expect(podTemplatesEqual(a, b)).toBe(false);
    expect(podTemplatesEqual(b, a)).toBe(false);
    expect(isCoveredBy(a, b)).toBe(false);
  });

  it("differ if only one spells out a default or has a volume, or volumes are in another order", () => {
    expect(podTemplatesEqual(spec({ dnsPolicy: "ClusterFirst" }), spec({}))).toBe(false);
    expect(podTemplatesEqual(volume({ emptyDir: {} }), spec({}))).toBe(false);
    const volumes = [
      { name: "a", emptyDir: {} },
      { name: "b", emptyDir: {} },
    ];
    expect(podTemplatesEqual(spec({ volumes }), spec({ volumes: volumes.toReversed() }))).toBe(false);
  });
});

const desired = {
  metadata: { labels: { app: "web" } },
  spec: {
    initContainers: [
      { name: "migrate", image: "app:1" },
      { name: "warm-up", image: "app:1" },
    ],
    containers: [
      {
        name: "web",
        image: "app:1",
        args: ["--port", "8080"],
        env: [
          { name: "LEVEL", value: "" },
          { name: "REGION", value: "eu" },
        ],
        ports: [{ containerPort: 8080 }, { containerPort: 8080, protocol: "UDP" }],
        volumeMounts: [{ name: "data", mountPath: "/data", readOnly: false }],
        readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 0 },
        resources: { requests: { cpu: "0.5" } },
      },
    ],
    volumes: [
      { name: "data", emptyDir: {} },
      { name: "settings", configMap: { name: "settings" } },
    ],
    hostNetwork: false,
  },
};

/** As a server stores it, with what other field managers added. */
const actual = {
  metadata: { creationTimestamp: null, labels: { app: "web", "sidecar.example.com/injected": "true" } },
  spec: {
    initContainers: [
      { name: "injected", image: "sidecar:1" },
      { name: "migrate", image: "app:1", imagePullPolicy: "IfNotPresent", resources: {} },
      { name: "warm-up", image: "app:1", imagePullPolicy: "IfNotPresent", resources: {} },
    ],
    containers: [
      { name: "sidecar", image: "sidecar:1" },
      {
        name: "web",
        image: "app:1",
        args: ["--port", "8080"],
        env: [{ name: "INJECTED", value: "1" }, { name: "LEVEL" }, { name: "REGION", value: "eu" }],
        ports: [
          { containerPort: 8080, protocol: "UDP" },
          { containerPort: 8080, protocol: "TCP" },
          { containerPort: 9090, protocol: "TCP" },
        ],
        volumeMounts: [
          { name: "token", mountPath: "/token" },
          { name: "data", mountPath: "/data" },
        ],
        readinessProbe: {
          httpGet: { path: "/", port: 8080, scheme: "HTTP" },
          periodSeconds: 10,
          timeoutSeconds: 1,
        },
        resources: { requests: { cpu: "500m", memory: "1Gi" } },
        terminationMessagePath: "/dev/termination-log",
      },
    ],
    volumes: [
      { name: "settings", configMap: { name: "settings", defaultMode: 420 } },
      { name: "data", emptyDir: {} },
    ],
    dnsPolicy: "ClusterFirst",
    restartPolicy: "Always",
  },
};

describe("a desired pod template", () => {
  it("is covered by what the server stored, with its defaults and what other field managers added", () => {
    expect(isCoveredBy(desired, actual)).toBe(true);
    expect(isCoveredBy(actual, desired)).toBe(false);
    expect(podTemplatesEqual(desired, actual)).toBe(false);
  });

  const [web = actual.spec.containers[0]] = actual.spec.containers.slice(1);
  const withWeb = (change: object): object => ({
    ...actual,
    spec: { ...actual.spec, containers: [{ ...web, ...change }] },
  });

  it.each<[string, object]>([
    ["another image", withWeb({ image: "app:2" })],
    ["an argument more", withWeb({ args: ["--port", "8080", "-v"] })],
    ["a variable less", withWeb({ env: [{ name: "REGION", value: "eu" }] })],
    [
      "a variable with another value",
      withWeb({
        env: [
          { name: "LEVEL", value: "debug" },
          { name: "REGION", value: "eu" },
        ],
      }),
    ],
    [
      "a variable from a Secret",
      withWeb({
        env: [
          { name: "LEVEL", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
          { name: "REGION", value: "eu" },
        ],
      }),
    ],
    ["variables in another order", withWeb({ env: [{ name: "REGION", value: "eu" }, { name: "LEVEL" }] })],
    ["a port less", withWeb({ ports: [{ containerPort: 8080, protocol: "TCP" }] })],
    [
      "a mount that is read-only",
      withWeb({ volumeMounts: [{ name: "data", mountPath: "/data", readOnly: true }] }),
    ],
    ["another mount at the path", withWeb({ volumeMounts: [{ name: "other", mountPath: "/data" }] })],
    ["no probe", withWeb({ readinessProbe: null })],
    ["another quantity", withWeb({ resources: { requests: { cpu: "501m" } } })],
    ["another label", { ...actual, metadata: { labels: { app: "db" } } }],
    [
      "another kind of volume",
      {
        ...actual,
        spec: { ...actual.spec, volumes: [{ name: "data", configMap: {} }, actual.spec.volumes[0]] },
      },
    ],
    ["the host's network", { ...actual, spec: { ...actual.spec, hostNetwork: true } }],
    [
      "init containers in another order",
      { ...actual, spec: { ...actual.spec, initContainers: actual.spec.initContainers.toReversed() } },
    ],
    ["no spec", { metadata: actual.metadata }],
  ])("is not covered by one with %s", (_, changed) => {
    expect(isCoveredBy(desired, changed)).toBe(false);
  });

  it("is covered by itself and by its copy", () => {
    expect(isCoveredBy(desired, draft(desired))).toBe(true);
    expect(podTemplatesEqual(desired, draft(desired))).toBe(true);
  });

  it("matches a variable that occurs twice with its occurrences in turn", () => {
    const twice = (first: string, second: string): object =>
      container({
        env: [
          { name: "A", value: first },
          { name: "A", value: second },
        ],
      });
    expect(isCoveredBy(twice("1", "2"), twice("1", "2"))).toBe(true);
    expect(isCoveredBy(twice("1", "2"), twice("2", "1"))).toBe(false);
    expect(isCoveredBy(twice("1", "1"), container({ env: [{ name: "A", value: "1" }] }))).toBe(false);
  });

  it("states nothing by an empty list or map", () => {
    expect(isCoveredBy(container({ args: [], resources: { limits: {} } }), actual)).toBe(true);
    expect(isCoveredBy({}, actual)).toBe(true);
  });
});
