import type { KubeObject, LabelSelector } from "@keelson/core";
import type { ValidatingWebhookConfiguration } from "@keelson/core/kinds/admissionregistration/v1";
import type { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import type { Deployment, StatefulSet } from "@keelson/core/kinds/apps/v1";
import type { HorizontalPodAutoscaler } from "@keelson/core/kinds/autoscaling/v2";
import type { CronJob } from "@keelson/core/kinds/batch/v1";
import type { ConfigMap, PersistentVolumeClaim, PodSpec, Secret, Service } from "@keelson/core/kinds/core/v1";
import type { EndpointSlice } from "@keelson/core/kinds/discovery/v1";
import type { Ingress, NetworkPolicy } from "@keelson/core/kinds/networking/v1";
import type { PodDisruptionBudget } from "@keelson/core/kinds/policy/v1";
import type { Role, RoleBinding } from "@keelson/core/kinds/rbac/v1";

const labels = { app: "web" };
const selector: LabelSelector = {
  matchLabels: labels,
  matchExpressions: [{ key: "app", operator: "In", values: ["web"] }],
};

/** Uses as many forms as fit: embedded messages, numbers or names of ports, quantities, maps, bytes, empty objects. */
const podSpec: PodSpec = {
  initContainers: [{ name: "init", image: "busybox:1.36", restartPolicy: "Always", command: ["sleep", "1"] }],
  containers: [
    {
      name: "web",
      image: "nginx:1.27",
      env: [
        { name: "EMPTY" },
        { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "KEY", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: false } } },
        { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } },
      ],
      envFrom: [{ prefix: "P_", configMapRef: { name: "c" } }],
      ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
      resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "1" } },
      livenessProbe: { httpGet: { path: "/", port: "http", httpHeaders: [{ name: "A", value: "" }] } },
      readinessProbe: { tcpSocket: { port: 8080 }, initialDelaySeconds: 300 },
      lifecycle: { preStop: { exec: { command: ["true"] } } },
      securityContext: { runAsUser: 0, privileged: false, capabilities: { add: ["NET_ADMIN"] } },
      volumeMounts: [{ name: "scratch", mountPath: "/scratch", readOnly: true }],
    },
  ],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }],
      },
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, podAffinityTerm: { topologyKey: "zone", labelSelector: selector } },
      ],
    },
  },
  hostAliases: [{ ip: "10.0.0.1", hostnames: ["a", "b"] }],
  dnsConfig: { options: [{ name: "ndots", value: "5" }] },
  overhead: {},
  tolerations: [{ key: "dedicated", operator: "Exists", effect: "NoExecute", tolerationSeconds: 0 }],
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway", labelSelector: selector },
  ],
  volumes: [
    { name: "scratch", emptyDir: { sizeLimit: "1.5Gi" } },
    { name: "none", emptyDir: {} },
    { name: "config", configMap: { name: "c", defaultMode: 0o400, items: [{ key: "a", path: "a" }] } },
    {
      name: "all",
      projected: {
        sources: [
          { serviceAccountToken: { path: "token", expirationSeconds: 3607 } },
          { downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] } },
        ],
      },
    },
  ],
};

const deployment: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default", labels, annotations: { empty: "", text: "é😀" } },
  spec: {
    replicas: 0,
    selector,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: "25%" } },
    template: { metadata: { labels }, spec: podSpec },
  },
};

const statefulSet: StatefulSet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "db", namespace: "default" },
  spec: {
    serviceName: "db",
    selector: { matchLabels: labels },
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
    template: { metadata: { labels }, spec: { containers: [{ name: "db", image: "postgres:17" }] } },
    // Without claims: what kind these are is not in their messages; the server knows it.
  },
};

const cronJob: CronJob = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "nightly", namespace: "default", finalizers: ["example.com/hold"] },
  spec: {
    schedule: "0 3 * * *",
    timeZone: "Europe/Zurich",
    startingDeadlineSeconds: 0,
    jobTemplate: {
      spec: {
        podFailurePolicy: {
          rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [42, 43] } }],
        },
        template: {
          spec: { restartPolicy: "Never", containers: [{ name: "job", image: "busybox:1.36" }] },
        },
      },
    },
  },
};

const service: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default" },
  spec: {
    type: "NodePort",
    selector: labels,
    ports: [
      { name: "http", port: 80, targetPort: "http" },
      { name: "https", port: 443, targetPort: 8443 },
    ],
    sessionAffinity: "ClientIP",
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
  },
};

const secret: Secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s", namespace: "default" },
  immutable: true,
  data: { k: "AP8=", empty: "" },
};

const configMap: ConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", namespace: "default", ownerReferences: [] },
  data: { a: "b", __proto: "c" },
  binaryData: { b: "AP8=" },
};

const claim: PersistentVolumeClaim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "claim", namespace: "default" },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "500M" } },
    dataSourceRef: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "snap" },
  },
};

const autoscaler: HorizontalPodAutoscaler = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", namespace: "default" },
  spec: {
    maxReplicas: 5,
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    metrics: [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
      },
      {
        type: "Pods",
        pods: { metric: { name: "m", selector }, target: { type: "AverageValue", averageValue: "1500m" } },
      },
    ],
    behavior: {
      scaleDown: { stabilizationWindowSeconds: 0, policies: [{ type: "Pods", value: 4, periodSeconds: 60 }] },
    },
  },
};

const ingress: Ingress = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { name: "web", namespace: "default" },
  spec: {
    tls: [{ hosts: ["a.example.com"], secretName: "s" }],
    rules: [
      {
        host: "a.example.com",
        http: {
          paths: [
            { path: "/", pathType: "Prefix", backend: { service: { name: "web", port: { name: "http" } } } },
          ],
        },
      },
    ],
  },
};

const networkPolicy: NetworkPolicy = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name: "web", namespace: "default" },
  spec: {
    podSelector: {},
    policyTypes: ["Ingress", "Egress"],
    ingress: [
      { from: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }], ports: [{ port: "http" }] },
    ],
    egress: [{ ports: [{ port: 53, endPort: 54, protocol: "UDP" }], to: [{ namespaceSelector: {} }] }],
  },
};

const slice: EndpointSlice = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "web-1", namespace: "default" },
  addressType: "IPv4",
  endpoints: [
    { addresses: ["10.0.0.7"], conditions: { ready: false }, hints: { forZones: [{ name: "z" }] } },
  ],
  ports: [{ name: "http", port: 8080, protocol: "TCP" }],
};

const budget: PodDisruptionBudget = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "web", namespace: "default" },
  spec: { minAvailable: "50%", selector },
};

const role: Role = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  metadata: { name: "reader", namespace: "default" },
  rules: [{ apiGroups: [""], resources: ["configmaps"], resourceNames: ["c"], verbs: ["get"] }],
};

const binding: RoleBinding = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  metadata: { name: "reader", namespace: "default" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
  subjects: [{ kind: "ServiceAccount", name: "default", namespace: "default" }],
};

const webhooks: ValidatingWebhookConfiguration = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "hooks" },
  webhooks: [
    {
      name: "a.example.com",
      clientConfig: { url: "https://example.com/a" },
      rules: [
        { apiGroups: ["example.com"], apiVersions: ["*"], operations: ["CREATE"], resources: ["none"] },
      ],
      matchConditions: [{ name: "never", expression: "false" }],
      sideEffects: "None",
      failurePolicy: "Ignore",
      admissionReviewVersions: ["v1"],
    },
  ],
};

const definition: CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "disks.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Disk", plural: "disks", shortNames: ["dk"] },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
        },
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size", priority: 1 }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                default: { size: 1 },
                "x-kubernetes-validations": [{ rule: "self.size < 10", message: "too large" }],
                properties: {
                  size: { type: "integer", minimum: 0, maximum: 10, format: "int32" },
                  share: { type: "number", multipleOf: 0.5, exclusiveMaximum: true, maximum: 100 },
                  mode: { type: "string", enum: ["a", "b"], nullable: true, maxLength: 0, default: null },
                  tags: {
                    type: "array",
                    items: { type: "string" },
                    "x-kubernetes-list-type": "set",
                    maxItems: 5,
                  },
                  labels: { type: "object", additionalProperties: { type: "string" } },
                  port: {
                    "x-kubernetes-int-or-string": true,
                    anyOf: [{ type: "integer" }, { type: "string" }],
                  },
                  raw: {
                    type: "object",
                    "x-kubernetes-preserve-unknown-fields": true,
                    default: { a: [1, null] },
                  },
                },
              },
              status: { type: "object", additionalProperties: true, not: { required: ["bad"] } },
            },
          },
        },
      },
    ],
  },
};

/** Objects of many kinds, each with fields of as many forms as its kind has. */
export const richObjects: readonly KubeObject[] = [
  deployment,
  statefulSet,
  cronJob,
  service,
  secret,
  configMap,
  claim,
  autoscaler,
  ingress,
  networkPolicy,
  slice,
  budget,
  role,
  binding,
  webhooks,
  definition,
];
