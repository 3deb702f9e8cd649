import { type CaseGroup, conforms } from "../conformance-case.ts";
import { field, type Stage } from "../stage.ts";
import { configMap, type Fields, manifest, pod, secret } from "./manifests.ts";

const held = configMap("held", { metadata: { finalizers: ["example.com/hold"] } });

/** Makes an owner and a dependent of it. */
async function prepareFamily(stage: Stage, more: Fields = {}): Promise<void> {
  const owner = await stage.prepare(stage.path("configmaps"), configMap("owner"));
  const reference = {
    apiVersion: "v1",
    kind: "ConfigMap",
    name: "owner",
    uid: field(owner, "metadata.uid"),
    ...more,
  };
  await stage.prepare(
    stage.path("configmaps"),
    configMap("child", { metadata: { ownerReferences: [reference] } }),
  );
}

const isGone = (object: unknown): boolean => field(object, "code") === 404;

export const deletionCases: CaseGroup = {
  title: "deletion",
  cases: [
    conforms("an object is deleted once", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("a"));
      await stage.delete(stage.path("configmaps/a"));
      await stage.delete(stage.path("configmaps/a"));
    }),
    conforms("a pod that has no node is deleted at once, and shown", async (stage) => {
      await stage.prepare(stage.path("pods"), pod("idle"));
      await stage.delete(stage.path("pods/idle"));
      await stage.get(stage.path("pods/idle"));
    }),
    conforms("a pod on a node is given time", async (stage) => {
      await stage.prepare(stage.path("pods"), pod("busy", { nodeName: "never-made" }));
      await stage.delete(stage.path("pods/busy"));
      await stage.delete(stage.path("pods/busy"), { gracePeriodSeconds: 10 });
      await stage.delete(stage.path("pods/busy?gracePeriodSeconds=60"));
      await stage.get(stage.path("pods/busy"));
    }),
    conforms("a pod has the grace period of its spec", async (stage) => {
      const spec = { nodeName: "never-made", terminationGracePeriodSeconds: 5 };
      await stage.prepare(stage.path("pods"), pod("busy", spec));
      await stage.delete(stage.path("pods/busy"));
    }),
    conforms("a pod without a grace period is deleted at once", async (stage) => {
      await stage.prepare(stage.path("pods"), pod("busy", { nodeName: "never-made" }));
      await stage.delete(stage.path("pods/busy"), { gracePeriodSeconds: 0 });
      await stage.get(stage.path("pods/busy"));
    }),
    conforms("a negative time is a short one", async (stage) => {
      await stage.prepare(stage.path("pods"), pod("busy", { nodeName: "never-made" }));
      await stage.delete(stage.path("pods/busy"), { gracePeriodSeconds: -1 });
    }),
    conforms("a finalizer keeps the object until it is removed", async (stage) => {
      await stage.prepare(stage.path("configmaps"), held);
      await stage.delete(stage.path("configmaps/held"));
      await stage.delete(stage.path("configmaps/held"));
      await stage.get(stage.path("configmaps/held"));
      await stage.patch(stage.path("configmaps/held"), { metadata: { finalizers: null } });
      await stage.get(stage.path("configmaps/held"));
    }),
    conforms("an object that is being deleted takes no new finalizers but changes", async (stage) => {
      await stage.prepare(stage.path("configmaps"), held);
      await stage.delete(stage.path("configmaps/held"));
      const path = stage.path("configmaps/held");
      await stage.patch(path, { metadata: { finalizers: ["example.com/hold", "example.com/more"] } });
      await stage.patch(path, { data: { a: "b" } });
      await stage.patch(path, { metadata: { deletionTimestamp: null } });
    }),
    conforms("a name is taken while its object is being deleted", async (stage) => {
      await stage.prepare(stage.path("configmaps"), held);
      await stage.delete(stage.path("configmaps/held"));
      await stage.create(stage.path("configmaps"), configMap("held"));
    }),
    conforms("a precondition on the uid is checked", async (stage) => {
      const stored = await stage.prepare(stage.path("configmaps"), configMap("a"));
      const path = stage.path("configmaps/a");
      await stage.delete(path, { preconditions: { uid: "11111111-2222-3333-4444-555555555555" } });
      await stage.delete(path, { preconditions: { uid: field(stored, "metadata.uid") } });
    }),
    conforms("a precondition on the version is checked", async (stage) => {
      const stored = await stage.prepare(stage.path("configmaps"), configMap("a"));
      const path = stage.path("configmaps/a");
      const changed = await stage.patch(path, { data: { a: "b" } });
      const version = (object: unknown): unknown => field(object, "metadata.resourceVersion");
      stage.record("changed", version(stored) !== version(changed));
      await stage.delete(path, { preconditions: { resourceVersion: "1" } });
      await stage.delete(path, { preconditions: { resourceVersion: version(changed) } });
    }),
    conforms("the propagation is one of three", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("a"));
      await stage.delete(stage.path("configmaps/a"), { propagationPolicy: "Sideways" });
      await stage.delete(stage.path("configmaps/a?propagationPolicy=Sideways"));
      await stage.delete(stage.path("configmaps/a"), {
        propagationPolicy: "Background",
        orphanDependents: true,
      });
    }),
    conforms("the options of a deletion are of their kind", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("a"));
      await stage.delete(stage.path("configmaps/a"), { kind: "ConfigMap", apiVersion: "v1" });
      await stage.delete(stage.path("configmaps/a"), "not json");
      await stage.delete(stage.path("configmaps/a?gracePeriodSeconds=soon"));
      await stage.delete(stage.path("configmaps/a"), { kind: "DeleteOptions", apiVersion: "v1" });
    }),
    conforms("dependents go in the background", async (stage) => {
      await prepareFamily(stage);
      await stage.delete(stage.path("configmaps/owner"), { propagationPolicy: "Background" });
      await stage.until(stage.path("configmaps/child"), isGone);
      await stage.get(stage.path("configmaps/child"));
    }),
    conforms("dependents go before their owner in the foreground", async (stage) => {
      await prepareFamily(stage, { blockOwnerDeletion: true });
      await stage.delete(stage.path("configmaps/owner"), { propagationPolicy: "Foreground" });
      await stage.until(stage.path("configmaps/owner"), isGone);
      await stage.get(stage.path("configmaps/child"));
    }),
    conforms("a dependent that is held keeps its owner in the foreground", async (stage) => {
      await prepareFamily(stage, { blockOwnerDeletion: true });
      await stage.patch(stage.path("configmaps/child"), { metadata: { finalizers: ["example.com/hold"] } });
      await stage.delete(stage.path("configmaps/owner?propagationPolicy=Foreground"));
      await stage.until(
        stage.path("configmaps/child"),
        (object) => field(object, "metadata.deletionTimestamp") !== undefined,
      );
      await stage.get(stage.path("configmaps/owner"));
      await stage.patch(stage.path("configmaps/child"), { metadata: { finalizers: null } });
      await stage.until(stage.path("configmaps/owner"), isGone);
    }),
    conforms("dependents stay as orphans", async (stage) => {
      await prepareFamily(stage);
      await stage.delete(stage.path("configmaps/owner"), { propagationPolicy: "Orphan" });
      await stage.until(stage.path("configmaps/owner"), isGone);
      const orphan = await stage.until(
        stage.path("configmaps/child"),
        (object) => field(object, "metadata.ownerReferences") === undefined,
      );
      stage.record("name", field(orphan, "metadata.name"));
    }),
    conforms("a dependent of an owner that never was goes", async (stage) => {
      const uid = "11111111-2222-3333-4444-555555555555";
      const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "never", uid }];
      await stage.prepare(stage.path("configmaps"), configMap("child", { metadata: { ownerReferences } }));
      await stage.until(stage.path("configmaps/child"), isGone);
      await stage.get(stage.path("configmaps/child"));
    }),
    conforms("objects are deleted together, by their labels", async (stage) => {
      for (const [name, app] of [
        ["a", "web"],
        ["b", "db"],
        ["c", "web"],
      ]) {
        await stage.prepare(stage.path("secrets"), secret(name ?? "", { metadata: { labels: { app } } }));
      }
      await stage.delete(stage.path("secrets?labelSelector=app=web"));
      await stage.get(stage.path("secrets"));
      await stage.delete(stage.path("secrets?fieldSelector=metadata.name=b"));
      await stage.get(stage.path("secrets"));
      await stage.delete(stage.path("secrets"));
    }),
    conforms("together with objects that are held", async (stage) => {
      await stage.prepare(
        stage.path("secrets"),
        secret("a", { metadata: { finalizers: ["example.com/hold"] } }),
      );
      await stage.prepare(stage.path("secrets"), secret("b"));
      await stage.delete(stage.path("secrets"));
      await stage.get(stage.path("secrets"));
    }),
    conforms("a namespace goes with all that is in it", async (stage) => {
      const name = `${stage.namespace}-sub`;
      const path = `/api/v1/namespaces/${name}`;
      await stage.create("/api/v1/namespaces", manifest("v1", "Namespace", name));
      await stage.prepare(`${path}/configmaps`, held);
      await stage.delete(path);
      await stage.until(
        `${path}/configmaps/held`,
        (object) => field(object, "metadata.deletionTimestamp") !== undefined,
      );
      await stage.create(`${path}/configmaps`, configMap("late"));
      await stage.patch(`${path}/configmaps/held`, { metadata: { finalizers: null } });
      await stage.until(path, isGone);
      await stage.get(path);
    }),
    conforms("the namespaces of the server stay", async (stage) => {
      for (const name of ["default", "kube-system", "kube-public"]) {
        await stage.delete(`/api/v1/namespaces/${name}`);
      }
    }),
  ],
};
