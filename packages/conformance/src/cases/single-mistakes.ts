import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import {
  createDefinition,
  defineWidgets,
  definitionOf,
  removeDefinition,
  widget,
  widgets,
} from "./custom-kinds.ts";
import { container, type Fields, manifest, template } from "./manifests.ts";

const dryRun = "?dryRun=All";

/** One case for a kind: each object has one mistake, and all are created in a dry run. */
function mistakes(name: string, path: string, objects: readonly unknown[]): ConformanceCase {
  return conforms(name, async (stage) => {
    const place = path.startsWith("/") ? path : stage.path(path);
    for (const object of objects) await stage.create(`${place}${dryRun}`, object);
  });
}

function controller(spec: Fields): Fields {
  return manifest("v1", "ReplicationController", "a", { spec: { template: template(), ...spec } });
}

function volume(spec: Fields): Fields {
  const usual = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] };
  return manifest("v1", "PersistentVolume", "a", { spec: { ...usual, ...spec } });
}

/** Sources of volumes, each with a mistake. */
const volumeSources: readonly Fields[] = [
  { hostPath: {} },
  { hostPath: { path: "/a/../b" } },
  { hostPath: { path: "/a", type: "Nope" } },
  { gcePersistentDisk: {} },
  { gcePersistentDisk: { pdName: "a", partition: 256 } },
  { awsElasticBlockStore: {} },
  { awsElasticBlockStore: { volumeID: "a", partition: -1 } },
  { nfs: {} },
  { nfs: { server: "a", path: "relative" } },
  { iscsi: {} },
  { iscsi: { targetPortal: "a", iqn: "x", lun: 256 } },
  { iscsi: { targetPortal: "a", iqn: "iqn.2000-01.a:b", lun: 1, chapAuthSession: true, initiatorName: "" } },
  { glusterfs: {} },
  { rbd: {} },
  { quobyte: {} },
  { quobyte: { registry: "a", volume: "v", tenant: "x".repeat(70) } },
  { quobyte: { registry: "a,b:1", volume: "v" } },
  { flocker: {} },
  { flocker: { datasetName: "a/b", datasetUUID: "c" } },
  { cephfs: {} },
  { cinder: {} },
  { cinder: { volumeID: "a", secretRef: {} } },
  { fc: {} },
  { fc: { targetWWNs: ["a"], lun: 256 } },
  { fc: { targetWWNs: ["a"], wwids: ["b"] } },
  { flexVolume: {} },
  { flexVolume: { driver: "a/b", options: { "kubernetes.io/x": "y" } } },
  { azureFile: {} },
  { vsphereVolume: {} },
  { azureDisk: {} },
  { azureDisk: { diskName: "a", diskURI: "b", cachingMode: "X", kind: "Y" } },
  { azureDisk: { diskName: "a", diskURI: "b", kind: "Managed" } },
  { photonPersistentDisk: {} },
  { portworxVolume: {} },
  { scaleIO: { secretRef: {} } },
  { storageos: {} },
  { storageos: { volumeName: "A_B", volumeNamespace: "C_D", secretRef: {} } },
  { csi: {} },
  { csi: { driver: "A B", volumeHandle: "h" } },
];

const onlyPersistent: readonly Fields[] = [
  { local: {} },
  { local: { path: "/a/../b" } },
  { local: { path: "/a" } },
  { glusterfs: { endpoints: "a", path: "b", endpointsNamespace: "" } },
  { azureFile: { secretName: "a", shareName: "b", secretNamespace: "" } },
  {
    csi: {
      driver: "d",
      volumeHandle: "h",
      controllerPublishSecretRef: {},
      nodeExpandSecretRef: { name: "a" },
    },
  },
];

const path = { hostPath: { path: "/a" } };

const volumes: readonly Fields[] = [
  {},
  { ...path, nfs: { server: "a", path: "/a" }, cephfs: {} },
  { ...path, capacity: { storage: "0" } },
  { ...path, capacity: { storage: "-1" } },
  { ...path, capacity: null },
  { ...path, capacity: { cpu: "1" } },
  { ...path, capacity: { storage: "1", cpu: "1" } },
  { ...path, accessModes: ["X"] },
  { ...path, accessModes: [] },
  { ...path, accessModes: ["ReadWriteOncePod", "ReadWriteOnce"] },
  { ...path, persistentVolumeReclaimPolicy: "X" },
  { hostPath: { path: "/" }, persistentVolumeReclaimPolicy: "Recycle" },
  { ...path, volumeMode: "X" },
  { ...path, storageClassName: "A_B" },
  { ...path, nodeAffinity: {} },
  { ...path, nodeAffinity: { required: { nodeSelectorTerms: [] } } },
  { ...path, volumeAttributesClassName: "" },
  { csi: { driver: "d", volumeHandle: "h" }, volumeAttributesClassName: "A_B" },
];

function driver(spec: Fields | null): Fields {
  return manifest("storage.k8s.io/v1", "CSIDriver", "a.b", { spec });
}

function storageClass(fields: Fields): Fields {
  return manifest("storage.k8s.io/v1", "StorageClass", "a", { provisioner: "p", ...fields });
}

function hook(clientConfig: unknown, fields: Fields = {}): Fields {
  const webhook = {
    name: "a.b.c",
    clientConfig,
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...fields,
  };
  return manifest("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "a", {
    webhooks: [webhook],
  });
}

const atUrl = { url: "https://a" };
const atService = (fields: Fields): Fields => ({ service: { name: "a", namespace: "b", ...fields } });
const withRule = (rule: unknown): Fields => hook(atUrl, { rules: [rule] });

const flowControl = "flowcontrol.apiserver.k8s.io/v1";

function flowSchema(spec: Fields): Fields {
  return manifest(flowControl, "FlowSchema", "a", {
    spec: { priorityLevelConfiguration: { name: "global-default" }, ...spec },
  });
}

const withSubject = (subject: Fields): Fields =>
  flowSchema({
    rules: [{ subjects: [subject], nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }] }],
  });
const forUser = [{ kind: "User", user: { name: "a" } }];

function priorityLevel(spec: Fields): Fields {
  return manifest(flowControl, "PriorityLevelConfiguration", "a", { spec });
}

const limited = (fields: Fields): Fields => priorityLevel({ type: "Limited", limited: fields });
const queued = (queuing: unknown): Fields => limited({ limitResponse: { type: "Queue", queuing } });

function apiService(spec: Fields, name = "v1.a.example.com"): Fields {
  const usual = { group: "a.example.com", version: "v1", groupPriorityMinimum: 100, versionPriority: 10 };
  return manifest("apiregistration.k8s.io/v1", "APIService", name, { spec: { ...usual, ...spec } });
}

function cronJob(timeZone: string): Fields {
  const spec = { template: { spec: { restartPolicy: "Never", containers: [container] } } };
  return manifest("batch/v1", "CronJob", "a", {
    spec: { schedule: "* * * * *", timeZone, jobTemplate: { spec } },
  });
}

const podOf = (spec: Fields): Fields => manifest("v1", "Pod", "a", { spec });
const withContainer = (fields: Fields): Fields => podOf({ containers: [{ ...container, ...fields }] });

/** What a definition may say, for nulls in its places. */
const wholeVersion: Fields = {
  name: "v1",
  served: true,
  storage: true,
  subresources: {
    status: {},
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  },
  additionalPrinterColumns: [{ name: "a", type: "string", jsonPath: ".spec.a" }],
  selectableFields: [{ jsonPath: ".spec.a" }],
  schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
};

const text = { type: "string" };
const scaled: Fields = {
  subresources: {
    status: {},
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  },
};
const statusSchema: Fields = {
  type: "object",
  properties: {
    replicas: { type: "integer" },
    small: { type: "integer", "x-kubernetes-validations": [{ rule: "self < 3", message: "is not small" }] },
    addresses: {
      type: "array",
      items: {
        type: "object",
        properties: { value: { ...text, maxLength: 3 }, type: { ...text, enum: ["A"] } },
        required: ["type"],
      },
    },
    set: { type: "array", "x-kubernetes-list-type": "set", items: text },
    resource: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
  },
};

export const singleMistakeCases: CaseGroup = {
  title: "single mistakes",
  cases: [
    mistakes("a ReplicationController", "replicationcontrollers", [
      controller({ selector: { app: "other" } }),
      controller({ selector: {} }),
      controller({ selector: { "a b": "c d" } }),
      controller({ replicas: -1, minReadySeconds: -1 }),
      controller({ template: null, selector: { app: "web" } }),
      controller({ template: template({ restartPolicy: "Never", activeDeadlineSeconds: 4 }) }),
    ]),
    mistakes("a PersistentVolume", "/api/v1/persistentvolumes", volumes.map(volume)),
    mistakes(
      "the source of a PersistentVolume",
      "/api/v1/persistentvolumes",
      [...volumeSources, ...onlyPersistent].map(volume),
    ),
    mistakes(
      "the source of a volume of a pod",
      "pods",
      [...volumeSources, { gitRepo: {} }, { gitRepo: { repository: "a", directory: "/b/.." } }].map(
        (source) => podOf({ containers: [container], volumes: [{ name: "a", ...source }] }),
      ),
    ),
    mistakes("a CSIDriver", "/apis/storage.k8s.io/v1/csidrivers", [
      driver(null),
      driver({ volumeLifecycleModes: ["X"] }),
      driver({ fsGroupPolicy: "X" }),
      driver({ fsGroupPolicy: "" }),
      driver({ tokenRequests: [{ audience: "a" }, { audience: "a" }] }),
      driver({ tokenRequests: [{ audience: "a", expirationSeconds: 1 }] }),
      driver({ tokenRequests: [{ audience: "a", expirationSeconds: 5e9 }] }),
      driver({ nodeAllocatableUpdatePeriodSeconds: 1 }),
      driver({ serviceAccountTokenInSecrets: true }),
    ]),
    mistakes("a StorageClass", "/apis/storage.k8s.io/v1/storageclasses", [
      storageClass({ provisioner: "" }),
      storageClass({ provisioner: "A B" }),
      storageClass({ reclaimPolicy: "Recycle" }),
      storageClass({ volumeBindingMode: "" }),
      storageClass({ parameters: { "": "x" } }),
      storageClass({ parameters: { a: "x".repeat(300_000) } }),
      storageClass({ allowedTopologies: [{ matchLabelExpressions: [{ key: "", values: [] }] }] }),
      storageClass({
        allowedTopologies: [
          { matchLabelExpressions: [{ key: "a", values: ["b", "b"] }] },
          { matchLabelExpressions: [{ key: "a", values: ["b"] }] },
        ],
      }),
    ]),
    mistakes(
      "a webhook configuration",
      "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
      [
        ...["", "/", "//", "a", "/a//b", "/a_b", "/a/"].map((servicePath) =>
          hook(atService({ path: servicePath })),
        ),
        hook(atService({ name: "" })),
        hook(atService({ namespace: "" })),
        hook(atService({ port: 0 })),
        ...["", "::", "https:///a", "https://u@a/b", "https://a/b?c=d", "https://a/b#c", "http://a"].map(
          (url) => hook({ url }),
        ),
        hook(null),
        hook(atUrl, { admissionReviewVersions: ["v1", "V_2"] }),
        hook(atUrl, { admissionReviewVersions: null, rules: null, matchConditions: null }),
        withRule(null),
        withRule({ operations: [null], apiGroups: [null], apiVersions: [null], resources: [null] }),
        withRule({
          operations: ["CREATE"],
          apiGroups: [""],
          apiVersions: ["v1"],
          resources: ["*/*", "a/b", "", "*/x", "x/*", "x/y", "*", "z"],
          scope: "X",
        }),
        { ...hook(atUrl), webhooks: [null] },
      ],
    ),
    mistakes("a FlowSchema", `/apis/${flowControl}/flowschemas`, [
      flowSchema({}),
      flowSchema({ priorityLevelConfiguration: null }),
      flowSchema({ priorityLevelConfiguration: { name: "A_B" } }),
      ...[-1, 1, 10_001].map((matchingPrecedence) => flowSchema({ matchingPrecedence })),
      flowSchema({ distinguisherMethod: {} }),
      flowSchema({ rules: [null] }),
      withSubject({ kind: "X" }),
      withSubject({ kind: "User" }),
      withSubject({ kind: "User", user: {}, group: { name: "a" } }),
      withSubject({ kind: "ServiceAccount", serviceAccount: {}, user: { name: "a" } }),
      withSubject({ kind: "ServiceAccount", serviceAccount: { name: "A_B", namespace: "C_D" } }),
      flowSchema({ rules: [{ subjects: forUser, resourceRules: [{}], nonResourceRules: [{}] }] }),
      flowSchema({
        rules: [
          {
            subjects: forUser,
            resourceRules: [
              { verbs: ["*", "get"], apiGroups: ["*", ""], resources: ["*", "pods"], namespaces: ["*", "a"] },
              { verbs: ["fly"], apiGroups: [""], resources: ["pods"], namespaces: ["A_B"] },
            ],
            nonResourceRules: [
              { verbs: ["get"], nonResourceURLs: ["", "/", "a", "/a b", "/a//b", "/a*", "/a/*", "/*/*"] },
            ],
          },
        ],
      }),
    ]),
    mistakes("a PriorityLevelConfiguration", `/apis/${flowControl}/prioritylevelconfigurations`, [
      priorityLevel({}),
      priorityLevel({ type: "Exempt", limited: {} }),
      priorityLevel({ type: "Limited" }),
      priorityLevel({ type: "Limited", exempt: {}, limited: { limitResponse: { type: "Reject" } } }),
      limited({}),
      limited({ nominalConcurrencyShares: -1, lendablePercent: 101, borrowingLimitPercent: -1 }),
      limited({ limitResponse: { type: "Reject", queuing: {} } }),
      queued(null),
      queued({}),
      queued({ queues: -1, handSize: -1, queueLengthLimit: -1 }),
      queued({ queues: 2, handSize: 3 }),
      queued({ queues: 10_000_001, handSize: 1 }),
      queued({ queues: 1024, handSize: 10 }),
    ]),
    mistakes("an APIService", "/apis/apiregistration.k8s.io/v1/apiservices", [
      apiService({}),
      apiService({}, "other"),
      apiService({ group: "", version: "v2" }, "v2."),
      apiService({ version: "V_1" }, "V_1.a.example.com"),
      apiService({ groupPriorityMinimum: 0, versionPriority: 1001 }),
      apiService({ caBundle: "eHg=" }),
      apiService({ insecureSkipTLSVerify: true }),
      apiService({ service: {} }),
      apiService({ service: { name: "a", namespace: "b", port: 70_000 } }),
      apiService({ service: { name: "a", namespace: "b" }, caBundle: "eHg=", insecureSkipTLSVerify: true }),
    ]),
    mistakes(
      "the time zone of a CronJob",
      "batch/v1:cronjobs",
      [
        ...["Europe/Berlin", "europe/berlin", "EUROPE/BERLIN", "UTC", "utc", "etc/utc", "EST", "est", "cet"],
        ...["Local", "local", "", "Etc/GMT+1", "America/Port-au-Prince", "US/Pacific", "Zulu", "zulu", "IST"],
      ].map(cronJob),
    ),
    mistakes("a field of the wrong type in an embedded struct of a pod", "pods", [
      withContainer({ env: [{ name: "x", valueFrom: { configMapKeyRef: { name: 5, key: "k" } } }] }),
      withContainer({ envFrom: [{ secretRef: { name: true } }] }),
      withContainer({ livenessProbe: { httpGet: 5 } }),
      withContainer({ livenessProbe: { httpGet: { path: 5 } } }),
      withContainer({ livenessProbe: { periodSeconds: "5" } }),
      podOf({ volumes: [{ name: "v", configMap: { name: 4 } }] }),
      podOf({ volumes: [{ name: "v", hostPath: 4 }] }),
      podOf({ ephemeralContainers: [{ name: 5 }] }),
      podOf({ ephemeralContainers: [{ targetContainerName: 5 }] }),
    ]),
    mistakes("a field of the wrong type in an embedded struct of a volume", "/api/v1/persistentvolumes", [
      volume({ hostPath: 5 }),
      volume({ nfs: { path: 5 } }),
      volume({ storageClassName: 5 }),
    ]),
    conforms("a definition with null in a place", async (stage) => {
      const definitions = [
        ...["versions", "names", "scope", "group", "conversion"].map((name) => ({ [name]: null })),
        { versions: [null] },
        { versions: [] },
        { conversion: { strategy: "Webhook", webhook: null } },
        {
          conversion: {
            strategy: "Webhook",
            webhook: { clientConfig: null, conversionReviewVersions: null },
          },
        },
        ...Object.keys(wholeVersion).map((name) => ({ versions: [{ ...wholeVersion, [name]: null }] })),
        { versions: [{ ...wholeVersion, subresources: { status: null, scale: null } }] },
      ];
      for (const definition of definitions)
        await createDefinition(stage, definitionOf(stage, { definition }));
      for (const properties of [
        null,
        { a: null },
        { a: { type: "array", items: null } },
        { a: { enum: [null] } },
      ]) {
        const schema = { type: "object", properties, required: null };
        await createDefinition(stage, definitionOf(stage, { schema, definition: { scope: "Nowhere" } }));
      }
    }),
    conforms("a client certificate of an unknown authority is refused", async (stage) => {
      await stage.get(stage.path("configmaps"), { user: "stranger" });
      await stage.get("/livez", { user: "stranger" });
      await stage.create(`/apis/authentication.k8s.io/v1/selfsubjectreviews`, {}, { user: "stranger" });
    }),
    conforms("the status of a custom object", async (stage) => {
      await defineWidgets(stage, {
        schema: {
          type: "object",
          properties: {
            spec: {
              type: "object",
              properties: { replicas: { type: "integer" }, bad: text },
              "x-kubernetes-validations": [{ rule: "!has(self.bad)", message: "is bad" }],
            },
            status: statusSchema,
          },
        },
        version: scaled,
      });
      await stage.prepare(widgets(stage), widget(stage, "a", { spec: {} }));
      const statuses: readonly unknown[] = [
        { addresses: [{ type: "X" }] },
        { addresses: [{ type: "A", value: "long" }] },
        { addresses: [{ value: "a" }] },
        { addresses: [5] },
        { addresses: "a" },
        { set: ["a", "a"] },
        { small: 9, replicas: -1 },
        { replicas: "x" },
        { resource: {} },
        5,
        [],
      ];
      for (const status of statuses) await stage.patch(widgets(stage, "/a/status"), { status });
      const specs = [{ replicas: -1, bad: "x" }, { replicas: 3e9 }, { replicas: "x", bad: "x" }];
      for (const spec of specs) await stage.create(widgets(stage, dryRun), widget(stage, "b", { spec }));
      await removeDefinition(stage);
    }),
  ],
};
