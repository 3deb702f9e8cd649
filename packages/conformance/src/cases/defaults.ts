import { type CaseGroup, creations } from "../conformance-case.ts";
import type { Stage } from "../stage.ts";
import { container, type Fields, manifest, pod, secret, service, template, workload } from "./manifests.ts";

const jobTemplate = { template: { spec: { restartPolicy: "Never", containers: [container] } } };
const rbac = "rbac.authorization.k8s.io/v1";

/** A pod with most of what has defaults. */
const richSpec: Fields = {
  initContainers: [{ name: "init", image: "init", restartPolicy: "Always" }],
  containers: [
    {
      ...container,
      image: "web",
      env: [
        { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "KEY", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
      ],
      ports: [{ containerPort: 80 }],
      livenessProbe: { httpGet: { port: 80 } },
      readinessProbe: { tcpSocket: { port: "http" } },
      startupProbe: { grpc: { port: 90 } },
      lifecycle: { preStop: { httpGet: { port: 80 } } },
      resources: { limits: { cpu: "1", memory: "128Mi" } },
      securityContext: { runAsUser: 0 },
      volumeMounts: [{ name: "config", mountPath: "/config" }],
    },
  ],
  volumes: [
    { name: "config", configMap: { name: "settings" } },
    { name: "secret", secret: { secretName: "s" } },
    { name: "empty" },
    {
      name: "downward",
      downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] },
    },
    { name: "host", hostPath: { path: "/tmp" } },
    { name: "projected", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } },
  ],
  tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute" }],
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: {} },
  ],
};

export const defaultCases: CaseGroup = {
  title: "defaults of the built-in kinds",
  cases: [
    ...creations([
      ["a Pod", "pods", pod("a")],
      ["a Pod with most of what a pod can have", "pods", pod("a", richSpec)],
      [
        "a Pod with host ports",
        "pods",
        pod("a", { hostNetwork: true, containers: [{ ...container, ports: [{ containerPort: 80 }] }] }),
      ],
      [
        "a Pod of guaranteed quality",
        "pods",
        pod("a", {
          containers: [
            {
              ...container,
              resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1", memory: "1Gi" } },
            },
          ],
        }),
      ],
      ["a Pod without its token", "pods", pod("a", { automountServiceAccountToken: false })],
      ["a Pod with a gate before scheduling", "pods", pod("a", { schedulingGates: [{ name: "a.b/c" }] })],
      [
        "a Pod whose image has a digest",
        "pods",
        pod("a", { containers: [{ name: "m", image: `web@sha256:${"0".repeat(64)}` }] }),
      ],
      [
        "a Pod with quantities in unusual forms",
        "pods",
        pod("a", {
          containers: [
            {
              ...container,
              resources: { requests: { cpu: "1000m", memory: "1024Ki" }, limits: { cpu: 2, memory: "1e9" } },
            },
          ],
        }),
      ],
      ["a PodTemplate", "podtemplates", manifest("v1", "PodTemplate", "a", { template: template() })],
      [
        "a ConfigMap",
        "configmaps",
        manifest("v1", "ConfigMap", "a", { data: { a: "b" }, binaryData: { c: "AAEC" } }),
      ],
      ["a Secret", "secrets", secret("a", { stringData: { a: "b" }, data: { c: "ZA==" } })],
      [
        "a ServiceAccount",
        "serviceaccounts",
        manifest("v1", "ServiceAccount", "a", { automountServiceAccountToken: false }),
      ],
      ["a Service", "services", service("a", { selector: { app: "web" } })],
      ["a Service without an address", "services", service("a", { clusterIP: "None" })],
      [
        "a Service on the nodes",
        "services",
        service("a", { type: "NodePort", ports: [{ port: 80, targetPort: "http", name: "x" }] }),
      ],
      [
        "a Service with a load balancer",
        "services",
        service("a", { type: "LoadBalancer", externalTrafficPolicy: "Local" }),
      ],
      [
        "a Service with another name",
        "services",
        manifest("v1", "Service", "a", { spec: { type: "ExternalName", externalName: "b.example.com" } }),
      ],
      ["a Service with affinity", "services", service("a", { sessionAffinity: "ClientIP" })],
      ["a Deployment", "apps/v1:deployments", workload("Deployment", "a", { paused: true })],
      [
        "a Deployment that recreates",
        "apps/v1:deployments",
        workload("Deployment", "a", { strategy: { type: "Recreate" } }),
      ],
      ["a ReplicaSet", "apps/v1:replicasets", workload("ReplicaSet", "a", { replicas: 0 })],
      [
        "a StatefulSet",
        "apps/v1:statefulsets",
        workload("StatefulSet", "a", { serviceName: "s", replicas: 0 }),
      ],
      [
        "a StatefulSet with volumes",
        "apps/v1:statefulsets",
        workload("StatefulSet", "a", {
          serviceName: "s",
          replicas: 0,
          volumeClaimTemplates: [
            {
              metadata: { name: "data" },
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
            },
          ],
        }),
      ],
      [
        "a DaemonSet",
        "apps/v1:daemonsets",
        workload("DaemonSet", "a", { template: template({ nodeSelector: { never: "there" } }) }),
      ],
      [
        "a ControllerRevision",
        "apps/v1:controllerrevisions",
        manifest("apps/v1", "ControllerRevision", "a", { revision: 1, data: { a: "b" } }),
      ],
      [
        "a ReplicationController",
        "replicationcontrollers",
        manifest("v1", "ReplicationController", "a", { spec: { replicas: 0, template: template() } }),
      ],
      [
        "a Job",
        "batch/v1:jobs",
        manifest("batch/v1", "Job", "a", { spec: { ...jobTemplate, suspend: true } }),
      ],
      [
        "an indexed Job",
        "batch/v1:jobs",
        manifest("batch/v1", "Job", "a", {
          spec: { ...jobTemplate, suspend: true, completions: 3, completionMode: "Indexed" },
        }),
      ],
      [
        "a CronJob",
        "batch/v1:cronjobs",
        manifest("batch/v1", "CronJob", "a", {
          spec: { schedule: "@yearly", suspend: true, jobTemplate: { spec: jobTemplate } },
        }),
      ],
      [
        "an Ingress",
        "networking.k8s.io/v1:ingresses",
        manifest("networking.k8s.io/v1", "Ingress", "a", {
          spec: {
            rules: [
              {
                http: {
                  paths: [
                    {
                      path: "/",
                      pathType: "Prefix",
                      backend: { service: { name: "s", port: { number: 80 } } },
                    },
                  ],
                },
              },
            ],
          },
        }),
      ],
      [
        "a NetworkPolicy",
        "networking.k8s.io/v1:networkpolicies",
        manifest("networking.k8s.io/v1", "NetworkPolicy", "a", {
          spec: { podSelector: {}, egress: [{ ports: [{ port: 53 }] }] },
        }),
      ],
      [
        "a PodDisruptionBudget",
        "policy/v1:poddisruptionbudgets",
        manifest("policy/v1", "PodDisruptionBudget", "a", { spec: { maxUnavailable: "50%", selector: {} } }),
      ],
      [
        "a HorizontalPodAutoscaler",
        "autoscaling/v2:horizontalpodautoscalers",
        manifest("autoscaling/v2", "HorizontalPodAutoscaler", "a", {
          spec: {
            maxReplicas: 3,
            scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "none" },
          },
        }),
      ],
      [
        "a PersistentVolumeClaim",
        "persistentvolumeclaims",
        manifest("v1", "PersistentVolumeClaim", "a", {
          spec: {
            storageClassName: "none",
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: "1Gi" } },
          },
        }),
      ],
      [
        "a Lease",
        "coordination.k8s.io/v1:leases",
        manifest("coordination.k8s.io/v1", "Lease", "a", {
          spec: { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: "2030-01-01T00:00:00.000000Z" },
        }),
      ],
      [
        "a Role",
        `${rbac}:roles`,
        manifest(rbac, "Role", "a", {
          rules: [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list"] }],
        }),
      ],
      [
        "a RoleBinding",
        `${rbac}:rolebindings`,
        manifest(rbac, "RoleBinding", "a", {
          roleRef: { kind: "Role", name: "a", apiGroup: "rbac.authorization.k8s.io" },
          subjects: [
            { kind: "ServiceAccount", name: "default" },
            { kind: "Group", name: "g" },
          ],
        }),
      ],
      [
        "an Event",
        "events",
        (stage: Stage) =>
          manifest("v1", "Event", "a", {
            involvedObject: { kind: "Pod", name: "p", namespace: stage.namespace },
            reason: "Why",
          }),
      ],
      [
        "an Endpoints",
        "endpoints",
        manifest("v1", "Endpoints", "a", {
          subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }],
        }),
      ],
      [
        "an EndpointSlice",
        "discovery.k8s.io/v1:endpointslices",
        manifest("discovery.k8s.io/v1", "EndpointSlice", "a", {
          addressType: "IPv4",
          endpoints: [{ addresses: ["192.0.2.1"] }],
          ports: [{ port: 80 }],
        }),
      ],
      [
        "a LimitRange",
        "limitranges",
        manifest("v1", "LimitRange", "a", { spec: { limits: [{ type: "Container", max: { cpu: "2" } }] } }),
      ],
      [
        "a ResourceQuota",
        "resourcequotas",
        manifest("v1", "ResourceQuota", "a", { spec: { hard: { pods: "5", "requests.cpu": "1000m" } } }),
      ],
    ]),
  ],
};
