import { type CaseGroup, type ConformanceCase, conforms, creations } from "../conformance-case.ts";
import type { Stage } from "../stage.ts";
import { type Fields, manifest } from "./manifests.ts";

/** A kind whose objects are created, read, changed and deleted, also as a collection. */
interface Lifecycle {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isOfCluster?: boolean;
  /** The object without its metadata. */
  readonly fields?: Fields | ((stage: Stage) => Fields);
  /** Default: that of the case, which no other case has. */
  readonly name?: (stage: Stage) => string;
  /** A merge patch of the object beside the one of its labels. */
  readonly change?: Fields;
  /** A merge patch of its status. */
  readonly status?: Fields;
  /** Default: true. */
  readonly isShownAsTable?: boolean;
}

const kinds: readonly Lifecycle[] = [
  {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "PriorityLevelConfiguration",
    plural: "prioritylevelconfigurations",
    isOfCluster: true,
    fields: { spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } },
    change: { spec: { limited: { nominalConcurrencyShares: 4 } } },
    status: { status: { conditions: [{ type: "Tried", status: "True", reason: "Case" }] } },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    plural: "ingressclasses",
    isOfCluster: true,
    fields: { spec: { controller: "example.com/none" } },
    change: { spec: { parameters: { kind: "Settings", name: "all", scope: "Cluster" } } },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    plural: "ingresses",
    fields: { spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } } },
    change: { spec: { ingressClassName: "none" } },
    status: { status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } } },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    plural: "networkpolicies",
    fields: { spec: { podSelector: {} } },
    change: { spec: { ingress: [{ from: [{ podSelector: {} }] }] } },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IPAddress",
    plural: "ipaddresses",
    isOfCluster: true,
    // Its rows have a cell more than there are columns.
    isShownAsTable: false,
    // An address of documentation, so that no Service has it.
    name: ({ namespace }) => `2001:db8::${hash(namespace).toString(16)}`,
    fields: {
      spec: { parentRef: { group: "example.com", resource: "gateways", namespace: "a", name: "b" } },
    },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIDriver",
    plural: "csidrivers",
    isOfCluster: true,
    fields: { spec: { attachRequired: false } },
    change: { spec: { tokenRequests: [{ audience: "vault" }] } },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    plural: "csinodes",
    isOfCluster: true,
    fields: { spec: { drivers: [{ name: "disk.example.com", nodeID: "n", topologyKeys: ["zone"] }] } },
    change: { metadata: { annotations: { note: "changed" } } },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIStorageCapacity",
    plural: "csistoragecapacities",
    fields: { storageClassName: "disk", nodeTopology: {}, capacity: "1Gi" },
    change: { capacity: "2Gi" },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    plural: "volumeattachments",
    isOfCluster: true,
    fields: {
      spec: { attacher: "disk.example.com", nodeName: "none", source: { persistentVolumeName: "none" } },
    },
    change: { metadata: { annotations: { note: "changed" } } },
    status: { status: { attached: true, attachmentMetadata: { device: "a" } } },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    plural: "storageclasses",
    isOfCluster: true,
    fields: { provisioner: "example.com/none" },
    change: { allowVolumeExpansion: true },
  },
  {
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    plural: "runtimeclasses",
    isOfCluster: true,
    fields: { handler: "none" },
    change: { scheduling: { nodeSelector: { disk: "fast" } } },
  },
  {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    plural: "priorityclasses",
    isOfCluster: true,
    fields: { value: 7 },
    change: { description: "changed" },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    plural: "validatingadmissionpolicybindings",
    isOfCluster: true,
    fields: { spec: { policyName: "none", validationActions: ["Deny"] } },
    change: { spec: { validationActions: ["Warn", "Audit"] } },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingAdmissionPolicy",
    plural: "mutatingadmissionpolicies",
    isOfCluster: true,
    fields: {
      spec: {
        matchConstraints: noRules(),
        reinvocationPolicy: "Never",
        mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }],
      },
    },
    change: { spec: { failurePolicy: "Ignore" } },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingAdmissionPolicyBinding",
    plural: "mutatingadmissionpolicybindings",
    isOfCluster: true,
    fields: { spec: { policyName: "none" } },
    change: { metadata: { annotations: { note: "changed" } } },
  },
  ...(["Validating", "Mutating"] as const).map(
    (type): Lifecycle => ({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: `${type}WebhookConfiguration`,
      plural: `${type.toLowerCase()}webhookconfigurations`,
      isOfCluster: true,
      fields: {
        webhooks: [
          {
            name: "a.example.com",
            clientConfig: { url: "https://127.0.0.1:1/none" },
            sideEffects: "None",
            admissionReviewVersions: ["v1"],
            rules: [],
          },
        ],
      },
      change: { metadata: { annotations: { note: "changed" } } },
    }),
  ),
  {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    plural: "controllerrevisions",
    fields: { revision: 1, data: { spec: { replicas: 1 } } },
    change: { revision: 2 },
  },
  {
    apiVersion: "v1",
    kind: "PodTemplate",
    plural: "podtemplates",
    fields: { template: { spec: { containers: [{ name: "web", image: "web:1" }] } } },
    change: { template: { metadata: { labels: { app: "web" } } } },
  },
  {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    plural: "leases",
    fields: { spec: { holderIdentity: "a", leaseDurationSeconds: 30 } },
    change: { spec: { holderIdentity: "b", leaseTransitions: 1 } },
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    plural: "endpointslices",
    fields: { addressType: "IPv4", endpoints: [{ addresses: ["192.0.2.1"] }], ports: [{ port: 80 }] },
    change: { endpoints: [{ addresses: ["192.0.2.2"], conditions: { ready: false } }] },
  },
  {
    apiVersion: "v1",
    kind: "LimitRange",
    plural: "limitranges",
    fields: { spec: { limits: [{ type: "Pod", max: { cpu: "4" } }] } },
    change: { spec: { limits: [{ type: "Pod", max: { cpu: "2" } }] } },
  },
  {
    apiVersion: "v1",
    kind: "ServiceAccount",
    plural: "serviceaccounts",
    change: { automountServiceAccountToken: false },
  },
  {
    apiVersion: "v1",
    kind: "Secret",
    plural: "secrets",
    fields: { stringData: { key: "value" } },
    change: { immutable: true },
  },
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    plural: "configmaps",
    fields: { data: { key: "value" } },
    change: { immutable: true },
  },
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    plural: "horizontalpodautoscalers",
    fields: {
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "none" } },
    },
    change: { spec: { minReplicas: 2 } },
  },
  {
    apiVersion: "resource.k8s.io/v1",
    kind: "DeviceClass",
    plural: "deviceclasses",
    isOfCluster: true,
    fields: { spec: { selectors: [{ cel: { expression: 'device.driver == "gpu.example.com"' } }] } },
    change: { metadata: { annotations: { note: "changed" } } },
  },
  {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaimTemplate",
    plural: "resourceclaimtemplates",
    fields: {
      spec: { spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "none" } }] } } },
    },
    change: { metadata: { annotations: { note: "changed" } } },
  },
  {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    plural: "resourceclaims",
    fields: { spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "none" } }] } } },
    change: { metadata: { annotations: { note: "changed" } } },
  },
  {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceSlice",
    plural: "resourceslices",
    isOfCluster: true,
    fields: ({ namespace }) => ({
      spec: {
        driver: "gpu.example.com",
        pool: { name: namespace, generation: 1, resourceSliceCount: 1 },
        allNodes: true,
        devices: [{ name: "gpu-0" }],
      },
    }),
    change: { spec: { devices: [{ name: "gpu-0" }, { name: "gpu-1" }] } },
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    plural: "roles",
    fields: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
    change: { rules: [] },
  },
  {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    plural: "events",
    fields: ({ namespace }) => ({
      eventTime: "2030-01-01T00:00:00.000000Z",
      reportingController: "example.com/case",
      reportingInstance: "case-1",
      action: "Test",
      reason: "Tested",
      type: "Normal",
      note: "a case runs",
      regarding: { apiVersion: "v1", kind: "ConfigMap", namespace, name: "none" },
    }),
    change: { series: { count: 2, lastObservedTime: "2030-01-01T00:00:01.000000Z" } },
  },
];

/** Rules that match nothing that another case does. */
function noRules(): Fields {
  const rule = {
    apiGroups: ["none.example.com"],
    apiVersions: ["v1"],
    resources: ["nones"],
    operations: ["CREATE"],
  };
  return { resourceRules: [rule] };
}

function hash(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 0xffff;
  return sum;
}

export const kindLifecycleCases: CaseGroup = {
  title: "lives of objects",
  cases: [
    ...kinds.map(lifecycle),
    // Controllers of the real control plane write the status of these at once, or keep them by a finalizer.
    ...creations([
      [
        "a FlowSchema has its defaults",
        "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?dryRun=All",
        manifest("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "dry", {
          spec: { priorityLevelConfiguration: { name: "exempt" } },
        }),
      ],
      [
        "a ValidatingAdmissionPolicy has its defaults",
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All",
        manifest("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "dry", {
          spec: { validations: [{ expression: "true" }], matchConstraints: noRules() },
        }),
      ],
      [
        "a VolumeAttributesClass is protected",
        "/apis/storage.k8s.io/v1/volumeattributesclasses?dryRun=All",
        manifest("storage.k8s.io/v1", "VolumeAttributesClass", "dry", {
          driverName: "disk.example.com",
          parameters: { iops: "100" },
        }),
      ],
      [
        "an IPAddress has the name of an address",
        "/apis/networking.k8s.io/v1/ipaddresses?dryRun=All",
        manifest("networking.k8s.io/v1", "IPAddress", "010.0.0.1", { spec: { parentRef: { group: "A b" } } }),
      ],
    ]),
  ],
};

function lifecycle(subject: Lifecycle): ConformanceCase {
  const {
    apiVersion,
    kind,
    plural,
    isOfCluster = false,
    fields = {},
    name = ownName,
    change,
    status,
  } = subject;
  const sentence = `${/^[AEIO]/.test(kind) ? "an" : "a"} ${kind} is created, read, changed and deleted with its collection`;
  return conforms(sentence, async (stage) => {
    const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
    const collection = isOfCluster ? `${root}/${plural}` : stage.path(`${apiVersion}:${plural}`);
    const selected = `${collection}?labelSelector=case%3D${stage.namespace}`;
    const path = `${collection}/${name(stage)}`;
    const rest = typeof fields === "function" ? fields(stage) : fields;
    const metadata = { labels: { case: stage.namespace } };
    await stage.create(collection, manifest(apiVersion, kind, name(stage), { ...rest, metadata }));
    await stage.get(path);
    if (change !== undefined) await stage.patch(path, change);
    if (status !== undefined) {
      await stage.patch(`${path}/status`, status);
      await stage.get(`${path}/status`);
    }
    await stage.get(selected, {
      headers: { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" },
    });
    if (subject.isShownAsTable !== false)
      await stage.get(path, { headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } });
    await stage.delete(selected);
    await stage.until(selected, isEmpty);
    await stage.get(path);
  });
}

function ownName({ namespace }: Stage): string {
  return `${namespace}-life`;
}

function isEmpty(list: unknown): boolean {
  return (
    typeof list === "object" &&
    list !== null &&
    "items" in list &&
    Array.isArray(list.items) &&
    list.items.length === 0
  );
}
