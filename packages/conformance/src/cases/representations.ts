import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import { configMap, type Fields, manifest, pod, secret, service } from "./manifests.ts";

const table = { headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } };
const partial = { headers: { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" } };
const partialList = {
  headers: { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" },
};

/** Kinds that stay as they are created, so that their tables can be compared. */
const tables: readonly (readonly [sentence: string, resource: string, object: Fields])[] = [
  ["Secrets", "secrets", secret("a", { stringData: { b: "c" } })],
  ["Pods", "pods", pod("a", { readinessGates: [{ conditionType: "a.b/c" }] })],
  [
    "Services",
    "services",
    service("a", {
      clusterIP: "None",
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 53, protocol: "UDP" },
      ],
    }),
  ],
  [
    "Services with another name",
    "services",
    manifest("v1", "Service", "a", { spec: { type: "ExternalName", externalName: "a.example.com" } }),
  ],
  [
    "PodTemplates",
    "podtemplates",
    manifest("v1", "PodTemplate", "a", {
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "m", image: "i:1" }] } },
    }),
  ],
  ["ServiceAccounts", "serviceaccounts", manifest("v1", "ServiceAccount", "a")],
  [
    "Leases",
    "coordination.k8s.io/v1:leases",
    manifest("coordination.k8s.io/v1", "Lease", "a", { spec: { holderIdentity: "me" } }),
  ],
  [
    "Roles",
    "rbac.authorization.k8s.io/v1:roles",
    manifest("rbac.authorization.k8s.io/v1", "Role", "a", { rules: [] }),
  ],
  [
    "RoleBindings",
    "rbac.authorization.k8s.io/v1:rolebindings",
    manifest("rbac.authorization.k8s.io/v1", "RoleBinding", "a", {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "x" },
      subjects: [{ kind: "User", name: "ann", apiGroup: "rbac.authorization.k8s.io" }],
    }),
  ],
  [
    "Ingresses",
    "networking.k8s.io/v1:ingresses",
    manifest("networking.k8s.io/v1", "Ingress", "a", {
      spec: {
        rules: [{ host: "a.example.com" }, { host: "b.example.com" }],
        tls: [{ hosts: ["a.example.com"] }],
      },
    }),
  ],
  [
    "NetworkPolicies",
    "networking.k8s.io/v1:networkpolicies",
    manifest("networking.k8s.io/v1", "NetworkPolicy", "a", {
      spec: { podSelector: { matchLabels: { a: "b" } } },
    }),
  ],
  [
    "CronJobs",
    "batch/v1:cronjobs",
    manifest("batch/v1", "CronJob", "a", {
      spec: {
        schedule: "0 0 1 1 *",
        suspend: true,
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "m", image: "i:1" }] } } },
        },
      },
    }),
  ],
];

function tableCase([kinds, resource, object]: (typeof tables)[number]): ConformanceCase {
  return conforms(`${kinds} are shown as a table`, async (stage) => {
    const path = stage.path(resource);
    await stage.prepare(path, object);
    const one = path.includes("serviceaccounts") ? `${path}?fieldSelector=metadata.name=a` : path;
    await stage.get(one, table);
  });
}

export const representationCases: CaseGroup = {
  title: "representations",
  cases: [
    ...tables.map(tableCase),
    conforms("one object is shown as a table", async (stage) => {
      await stage.prepare(stage.path("secrets"), secret("a"));
      await stage.get(stage.path("secrets/a"), table);
      await stage.get(stage.path("secrets/none"), table);
    }),
    conforms("a table is empty", async (stage) => {
      await stage.get(stage.path("secrets"), table);
    }),
    conforms("the rows of a table include the requested form of the object", async (stage) => {
      await stage.prepare(stage.path("secrets"), secret("a"));
      await stage.get(stage.path("secrets?includeObject=None"), table);
      await stage.get(stage.path("secrets?includeObject=Object"), table);
      await stage.get(stage.path("secrets?includeObject=Everything"), table);
    }),
    conforms("a table comes in pages", async (stage) => {
      await stage.prepare(stage.path("secrets"), secret("a"));
      await stage.prepare(stage.path("secrets"), secret("b"));
      await stage.get(stage.path("secrets?limit=1"), table);
    }),
    conforms("metadata alone, of one object and of a list", async (stage) => {
      await stage.prepare(
        stage.path("configmaps"),
        configMap("a", { metadata: { labels: { x: "y" } }, data: { b: "c" } }),
      );
      await stage.get(stage.path("configmaps/a"), partial);
      await stage.get(stage.path("configmaps?labelSelector=x"), partialList);
    }),
    conforms("a list is not metadata of one object, nor the other way round", async (stage) => {
      await stage.prepare(stage.path("secrets"), secret("a"));
      await stage.get(stage.path("secrets"), partial);
      await stage.get(stage.path("secrets/a"), partialList);
    }),
    conforms("a create and a patch return the requested form", async (stage) => {
      await stage.create(stage.path("secrets"), secret("a"), partial);
      await stage.patch(stage.path("secrets/a"), { metadata: { labels: { a: "b" } } }, partial);
      await stage.create(stage.path("secrets"), secret("b"), table);
    }),
    conforms("a refusal is a Status in whatever form", async (stage) => {
      await stage.get(stage.path("secrets/none"), partial);
      await stage.create(stage.path("secrets"), secret("NOT"), table);
    }),
    conforms("the first form that the server knows is taken", async (stage) => {
      await stage.prepare(stage.path("secrets"), secret("a"));
      const accept = "application/json;as=Table;g=meta.k8s.io;v=v1,application/json";
      await stage.get(stage.path("secrets/a"), { headers: { accept } });
      await stage.get(stage.path("secrets/a"), { headers: { accept: "text/html,*/*" } });
      await stage.get(stage.path("secrets/a"), { headers: { accept: "application/*" } });
    }),
    conforms("a form that the server does not know is not acceptable", async (stage) => {
      await stage.prepare(stage.path("secrets"), secret("a"));
      for (const accept of [
        "text/html",
        "application/xml",
        "application/json;as=Picture;g=meta.k8s.io;v=v1",
        "application/json;as=Table;g=meta.k8s.io;v=v9",
        "nonsense",
      ]) {
        await stage.get(stage.path("secrets/a"), { headers: { accept } });
      }
    }),
    conforms("a response is YAML if YAML is requested", async (stage) => {
      await stage.prepare(
        stage.path("secrets"),
        secret("a", { metadata: { managedFields: [] }, type: "example.com/a" }),
      );
      const reply = await stage.get(stage.path("secrets/none"), { headers: { accept: "application/yaml" } });
      stage.record("text", typeof reply);
    }),
    conforms("a response is pretty-printed on request", async (stage) => {
      const { text } = await stage.send({ method: "GET", path: `${stage.path("secrets/none")}?pretty=true` });
      stage.record("text", text);
    }),
  ],
};
