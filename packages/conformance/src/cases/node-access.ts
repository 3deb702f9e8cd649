import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import { field, type Stage } from "../stage.ts";
import { configMap, container, type Fields, manifest, pod, secret } from "./manifests.ts";

const nodeOf = ({ namespace }: Stage): string => `node-${namespace}`;
const userOf = (stage: Stage): string => `system:node:${nodeOf(stage)}`;

/** A pod on the node of the case that refers to objects in each way that needs no driver. */
const neededBy = (stage: Stage): Fields =>
  pod("needs", {
    nodeName: nodeOf(stage),
    imagePullSecrets: [{ name: "pull" }],
    containers: [
      {
        ...container,
        env: [
          { name: "A", valueFrom: { secretKeyRef: { name: "key", key: "a" } } },
          { name: "B", valueFrom: { configMapKeyRef: { name: "settings", key: "a" } } },
        ],
        envFrom: [{ secretRef: { name: "all" } }],
      },
    ],
    volumes: [
      { name: "secret", secret: { secretName: "files" } },
      { name: "both", projected: { sources: [{ secret: { name: "part" } }] } },
      { name: "claim", persistentVolumeClaim: { claimName: "data" } },
    ],
  });

/** A case with a user for a node and a pod on it. */
function nodeCase(name: string, run: (stage: Stage, user: string) => Promise<void>): ConformanceCase {
  return conforms(name, async (stage) => {
    const user = userOf(stage);
    await stage.addUser(user, ["system:nodes"]);
    for (const one of ["pull", "key", "all", "files", "part", "other"]) {
      await stage.prepare(stage.path("secrets"), secret(one));
    }
    for (const one of ["settings", "other"]) await stage.prepare(stage.path("configmaps"), configMap(one));
    const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await stage.prepare(
      stage.path("persistentvolumeclaims"),
      manifest("v1", "PersistentVolumeClaim", "data", { spec: { ...claimSpec, storageClassName: "none" } }),
    );
    await stage.prepare(stage.path("pods"), neededBy(stage));
    await stage.prepare(stage.path("pods"), pod("elsewhere", { nodeName: `not-${nodeOf(stage)}` }));
    // The authorizer learns of the pod some time later.
    await stage.untilAnswer(
      { method: "GET", path: stage.path("secrets/files"), user },
      (response) => field(response, "kind") === "Secret",
    );
    await run(stage, user);
  });
}

export const nodeAccessCases: CaseGroup = {
  title: "access of nodes",
  cases: [
    nodeCase("a node reads the Secrets of its pods and no others", async (stage, user) => {
      for (const name of ["pull", "key", "all", "part", "other"]) {
        await stage.get(stage.path(`secrets/${name}`), { user });
      }
      await stage.get(stage.path("secrets"), { user });
      await stage.get("/api/v1/secrets", { user });
      await stage.get(stage.path("secrets?fieldSelector=metadata.name=all"), { user });
      await stage.create(stage.path("secrets"), secret("new"), { user });
      await stage.delete(stage.path("secrets/all"), undefined, { user });
    }),
    nodeCase("a node reads the ConfigMaps and claims of its pods and no others", async (stage, user) => {
      await stage.get(stage.path("configmaps/settings"), { user });
      await stage.get(stage.path("configmaps/other"), { user });
      await stage.get(stage.path("persistentvolumeclaims/data"), { user });
      await stage.get(stage.path("persistentvolumeclaims/other"), { user });
      await stage.get(stage.path("persistentvolumeclaims"), { user });
      await stage.patch(stage.path("persistentvolumeclaims/data/status"), {}, { user });
      await stage.patch(stage.path("persistentvolumeclaims/data"), {}, { user });
    }),
    nodeCase("a node reads its own pods and changes their status", async (stage, user) => {
      await stage.get(stage.path("pods/needs"), { user });
      await stage.get(stage.path("pods/elsewhere"), { user });
      await stage.get(stage.path("pods"), { user });
      await stage.get(`/api/v1/pods?fieldSelector=spec.nodeName=${nodeOf(stage)}`, { user });
      await stage.get("/api/v1/pods?fieldSelector=spec.nodeName=other", { user });
      await stage.get(`/api/v1/pods?fieldSelector=spec.nodeName!=${nodeOf(stage)}`, { user });
      await stage.patch(stage.path("pods/needs/status"), { status: { phase: "Running" } }, { user });
      await stage.patch(stage.path("pods/needs"), { metadata: { labels: { a: "b" } } }, { user });
      await stage.get(stage.path("pods/needs/log"), { user });
    }),
    nodeCase("a node writes its Node and its Lease", async (stage, user) => {
      const name = nodeOf(stage);
      await stage.create("/api/v1/nodes", manifest("v1", "Node", name), { user });
      // Controllers change the new Node at any time.
      const own = await stage.look({ method: "GET", path: `/api/v1/nodes/${name}`, user });
      const written = await stage.look({
        method: "PATCH",
        path: `/api/v1/nodes/${name}/status`,
        headers: { "content-type": "application/merge-patch+json" },
        body: JSON.stringify({ status: { phase: "Running" } }),
        user,
      });
      stage.record("statuses", [own.status, written.status]);
      await stage.get("/api/v1/nodes", { user });
      await stage.get("/api/v1/nodes/other", { user });
      await stage.delete(`/api/v1/nodes/${name}`, undefined, { user });
      const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
      await stage.create(leases, manifest("coordination.k8s.io/v1", "Lease", name, { spec: {} }), { user });
      await stage.get(`${leases}/${name}`, { user });
      await stage.get(`${leases}/other`, { user });
      await stage.get(leases, { user });
      await stage.get(stage.path("coordination.k8s.io/v1:leases/a"), { user });
      await stage.remove(`${leases}/${name}`);
      await stage.remove(`/api/v1/nodes/${name}`);
    }),
    nodeCase("a node gets tokens for the ServiceAccounts of its pods", async (stage, user) => {
      const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
      await stage.prepare(stage.path("serviceaccounts"), manifest("v1", "ServiceAccount", "other"));
      await stage.create(stage.path("serviceaccounts/other/token"), request, { user });
      await stage.get(stage.path("serviceaccounts/default"), { user });
      await stage.get(stage.path("serviceaccounts/other"), { user });
      const reply = await stage.look({
        method: "POST",
        path: stage.path("serviceaccounts/default/token"),
        headers: { "content-type": "application/json" },
        body: JSON.stringify(request),
        user,
      });
      stage.record("token", reply.status);
    }),
    nodeCase("a node may do what all nodes may, and nothing else", async (stage, user) => {
      await stage.get(stage.path("services"), { user });
      await stage.get("/apis/storage.k8s.io/v1/csidrivers/none", { user });
      await stage.get(stage.path("apps/v1:deployments"), { user });
      await stage.get("/apis/storage.k8s.io/v1/csinodes/other", { user });
      await stage.get("/apis/storage.k8s.io/v1/volumeattachments/other", { user });
      await stage.get("/api/v1/persistentvolumes/other", { user });
      await stage.get("/apis/resource.k8s.io/v1/resourceslices", { user });
    }),
    conforms("only users in the group of nodes are nodes", async (stage) => {
      const named = `system:node:plain-${stage.namespace}`;
      const grouped = `plain-${stage.namespace}`;
      await stage.addUser(named);
      await stage.addUser(grouped, ["system:nodes"]);
      for (const user of [named, grouped]) await stage.get(stage.path("services"), { user });
    }),
    conforms("reviews report what a node may do", async (stage) => {
      const attributes = [
        { verb: "get", resource: "secrets", name: "a", namespace: stage.namespace },
        { verb: "list", resource: "pods" },
        {
          verb: "list",
          resource: "pods",
          fieldSelector: { requirements: [{ key: "spec.nodeName", operator: "In", values: ["n1"] }] },
        },
        { verb: "create", resource: "nodes" },
      ];
      for (const resourceAttributes of attributes) {
        await stage.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
          apiVersion: "authorization.k8s.io/v1",
          kind: "SubjectAccessReview",
          spec: { user: "system:node:n1", groups: ["system:nodes"], resourceAttributes },
        });
      }
    }),
  ],
};
