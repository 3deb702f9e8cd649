import { type CaseGroup, conforms } from "../../conformance-case.ts";
import { field, type Stage } from "../../stage.ts";
import { isGone, itemsOf } from "../kubectl/settling.ts";
import { configMap, type Fields, secret } from "../manifests.ts";
import { show } from "./pods-of.ts";

const metadata = ["metadata.ownerReferences", "metadata.finalizers", "metadata.deletionGracePeriodSeconds"];

/** Makes an owner, and a Secret that it owns; the collector knows of both. */
async function family(stage: Stage, reference: Fields = {}, child: Fields = {}): Promise<void> {
  const owner = await stage.prepare(stage.path("configmaps"), configMap("owner"));
  await own(stage, "child", [{ ...referenceTo(owner), ...reference }], child);
  // It reads ConfigMaps and Secrets on their own: the end of an owner may reach it before the child has.
  await collectorHasPassed(stage);
}

async function own(
  stage: Stage,
  name: string,
  ownerReferences: readonly unknown[],
  more: Fields = {},
): Promise<void> {
  await stage.prepare(stage.path("secrets"), secret(name, { metadata: { ownerReferences, ...more } }));
}

function referenceTo(owner: unknown): Fields {
  const { name, uid } = { name: field(owner, "metadata.name"), uid: field(owner, "metadata.uid") };
  return { apiVersion: "v1", kind: "ConfigMap", name, uid };
}

const deleteOwner = (stage: Stage, propagationPolicy: string): Promise<unknown> =>
  stage.delete(stage.path("configmaps/owner"), {
    kind: "DeleteOptions",
    apiVersion: "v1",
    propagationPolicy,
  });

/** The collector has seen all Secrets so far, shown by one that it has to delete. */
async function collectorHasPassed(stage: Stage): Promise<void> {
  await own(stage, "stray", [{ apiVersion: "v1", kind: "ConfigMap", name: "never", uid: "never-made" }]);
  await isGone("secrets/stray")(stage);
}

export const garbageCases: CaseGroup = {
  title: "garbage collection",
  cases: [
    conforms("in the background the owner goes first", async (stage) => {
      await family(stage);
      await deleteOwner(stage, "Background");
      await isGone("configmaps/owner")(stage);
      await isGone("secrets/child")(stage);
    }),
    conforms("in the foreground the owner waits for those that block it", async (stage) => {
      await family(stage, { blockOwnerDeletion: true }, { finalizers: ["example.com/hold"] });
      await deleteOwner(stage, "Foreground");
      await stage.until(
        stage.path("secrets/child"),
        (child) => field(child, "metadata.deletionTimestamp") !== undefined,
      );
      await show(stage, "configmaps/owner", metadata);
      await show(stage, "secrets/child", metadata);
      await stage.patch(stage.path("secrets/child"), { metadata: { finalizers: null } });
      await isGone("secrets/child")(stage);
      await isGone("configmaps/owner")(stage);
    }),
    conforms("in the foreground the owner does not wait for those that do not block it", async (stage) => {
      await family(stage, {}, { finalizers: ["example.com/hold"] });
      await deleteOwner(stage, "Foreground");
      await isGone("configmaps/owner")(stage);
      await show(stage, "secrets/child", ["metadata.finalizers"]);
      await stage.patch(stage.path("secrets/child"), { metadata: { finalizers: null } });
      await isGone("secrets/child")(stage);
    }),
    conforms("orphans lose their owner and stay", async (stage) => {
      await family(stage);
      await deleteOwner(stage, "Orphan");
      await isGone("configmaps/owner")(stage);
      await show(stage, "secrets/child", metadata);
    }),
    conforms("what has another owner left stays", async (stage) => {
      const one = await stage.prepare(stage.path("configmaps"), configMap("owner"));
      const other = await stage.prepare(stage.path("configmaps"), configMap("other"));
      await own(stage, "child", [referenceTo(one), referenceTo(other)]);
      await deleteOwner(stage, "Background");
      await stage.until(stage.path("secrets/child"), (child) => {
        const references = field(child, "metadata.ownerReferences");
        return Array.isArray(references) && references.length === 1;
      });
      await show(stage, "secrets/child", metadata);
    }),
    conforms("what has an owner that never was goes", async (stage) => {
      await own(stage, "child", [{ apiVersion: "v1", kind: "ConfigMap", name: "never", uid: "never-made" }]);
      await isGone("secrets/child")(stage);
    }),
    conforms("an owner of the same name and another uid is no owner", async (stage) => {
      const owner = await stage.prepare(stage.path("configmaps"), configMap("owner"));
      await own(stage, "kept", [referenceTo(owner)]);
      await own(stage, "child", [{ ...referenceTo(owner), uid: "another" }]);
      await isGone("secrets/child")(stage);
      await show(stage, "secrets/kept", metadata);
    }),
    conforms("grandchildren go too", async (stage) => {
      await family(stage);
      const child = await stage.until(
        stage.path("secrets/child"),
        (object) => field(object, "metadata") !== undefined,
      );
      await own(stage, "grandchild", [{ ...referenceTo(child), kind: "Secret" }]);
      await deleteOwner(stage, "Background");
      await isGone("secrets/grandchild")(stage);
      const left = await stage.until(stage.path("secrets"), (list) => itemsOf(list).length === 0);
      stage.record("what is left", itemsOf(left));
    }),
    conforms("an owner that is there keeps its own", async (stage) => {
      await family(stage);
      await show(stage, "secrets/child", metadata);
    }),
  ],
};
