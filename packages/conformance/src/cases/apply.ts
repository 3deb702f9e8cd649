import { type CaseGroup, conforms } from "../conformance-case.ts";
import { configMap, type Fields, manifest, pod } from "./manifests.ts";

const settings = (data: Fields, metadata: Fields = {}): Fields => configMap("settings", { metadata, data });
const as = (manager: string, more = ""): string => `configmaps/settings?fieldManager=${manager}${more}`;
const held = (...finalizers: readonly string[]): Fields =>
  configMap("settings", { metadata: { finalizers } });

export const applyCases: CaseGroup = {
  title: "server-side apply",
  cases: [
    conforms("creates what does not exist", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({ a: "1" }, { labels: { app: "web" } }));
    }),
    conforms("needs a field manager", async (stage) => {
      await stage.apply(stage.path("configmaps/settings"), settings({ a: "1" }));
      await stage.apply(stage.path("configmaps/settings?fieldManager="), settings({ a: "1" }));
    }),
    conforms("a second time changes nothing", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({ a: "1" }));
      await stage.apply(stage.path(as("ann")), settings({ a: "1" }));
    }),
    conforms("removes what is no longer applied", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({ a: "1", b: "2" }, { labels: { x: "y" } }));
      await stage.apply(stage.path(as("ann")), settings({ a: "1" }));
    }),
    conforms("keeps what another manager applied too", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({ a: "1", b: "2" }));
      await stage.apply(stage.path(as("bob")), settings({ b: "2", c: "3" }));
      await stage.apply(stage.path(as("ann")), settings({ a: "1" }));
    }),
    conforms("is a conflict where another manager applied another value", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({ a: "1", b: "2" }));
      await stage.apply(stage.path(as("bob")), settings({ a: "2", b: "3" }));
    }),
    conforms("is a conflict with several managers", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({ a: "1" }));
      await stage.apply(stage.path(as("bob")), settings({ b: "1" }));
      await stage.apply(stage.path(as("eve")), settings({ a: "2", b: "2" }));
    }),
    conforms("takes fields over by force", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({ a: "1", b: "2" }));
      await stage.apply(stage.path(as("bob", "&force=true")), settings({ a: "2" }));
      await stage.apply(stage.path(as("ann")), settings({ b: "2" }));
    }),
    conforms("is a conflict with what an update changed", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({ a: "1" }));
      await stage.patch(stage.path(as("updater")), { data: { a: "2" } });
      await stage.apply(stage.path(as("ann")), settings({ a: "1" }));
      await stage.apply(stage.path(as("ann", "&force=true")), settings({ a: "1" }));
    }),
    conforms("is no conflict with what an update set to the same value", async (stage) => {
      await stage.prepare(stage.path("configmaps?fieldManager=updater"), settings({ a: "1" }));
      await stage.apply(stage.path(as("ann")), settings({ a: "1" }));
      await stage.apply(stage.path(as("ann")), settings({}));
    }),
    conforms("an update that removes a field takes it from who applied it", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({ a: "1", b: "2" }));
      await stage.patch(stage.path(as("updater")), { data: { a: null } });
    }),
    conforms("gives a field up to another manager", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({ a: "1", b: "1" }));
      await stage.apply(stage.path(as("bob")), settings({ a: "1" }));
      await stage.apply(stage.path(as("ann")), settings({ b: "1" }));
      await stage.apply(stage.path(as("bob")), settings({ a: "9" }));
    }),
    conforms("does nothing in a dry run", async (stage) => {
      await stage.apply(stage.path(as("ann", "&dryRun=All")), settings({ a: "1" }));
      await stage.get(stage.path("configmaps/settings"));
      await stage.apply(stage.path(as("ann")), settings({ a: "1" }));
      await stage.apply(stage.path(as("ann", "&dryRun=All")), settings({ a: "2" }));
      await stage.get(stage.path("configmaps/settings"));
    }),
    conforms("takes YAML", async (stage) => {
      const text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  a: 'yes'\n";
      await stage.apply(stage.path(as("ann")), text);
    }),
    conforms("refuses broken YAML", async (stage) => {
      await stage.apply(stage.path(as("ann")), "a: [b\n");
      await stage.apply(stage.path(as("ann")), "");
      await stage.apply(stage.path(as("ann")), "just text");
    }),
    conforms("needs a kind and a version", async (stage) => {
      await stage.apply(stage.path(as("ann")), { metadata: { name: "settings" } });
      await stage.apply(stage.path(as("ann")), { apiVersion: "v1", metadata: { name: "settings" } });
      await stage.apply(stage.path(as("ann")), {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "settings" },
      });
    }),
    conforms("the name is that of the path", async (stage) => {
      await stage.apply(stage.path(as("ann")), configMap("other"));
      await stage.apply(stage.path(as("ann")), { apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } });
    }),
    conforms("carries no managed fields", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({}, { managedFields: [{ manager: "ann" }] }));
    }),
    conforms("refuses fields that the kind does not have", async (stage) => {
      await stage.apply(stage.path(as("ann")), { ...settings({ a: "1" }), extra: true });
    }),
    conforms("refuses values of another type", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({ a: 1 }));
      await stage.apply(stage.path(as("ann")), { ...settings({}), data: "text" });
    }),
    conforms("refuses what is not valid", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({ "not a key": "1" }));
    }),
    conforms("with an old version is a conflict", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({ a: "1" }));
      await stage.apply(stage.path(as("ann")), settings({ a: "2" }, { resourceVersion: "1" }));
    }),
    conforms("with a uid creates nothing", async (stage) => {
      const uid = "11111111-2222-3333-4444-555555555555";
      await stage.apply(stage.path(as("ann")), settings({ a: "1" }, { uid }));
    }),
    conforms("force is for apply only", async (stage) => {
      await stage.prepare(stage.path("configmaps"), settings({ a: "1" }));
      await stage.patch(stage.path("configmaps/settings?force=true"), { data: { a: "2" } });
    }),
    conforms("an empty configuration owns nothing", async (stage) => {
      await stage.prepare(stage.path("configmaps?fieldManager=updater"), settings({ a: "1" }));
      await stage.apply(stage.path(as("ann")), configMap("settings", {}));
    }),
    conforms("a map that is empty is owned as such", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({}));
      await stage.apply(stage.path(as("bob")), settings({ a: "1" }));
    }),
    conforms("finalizers are a set", async (stage) => {
      await stage.apply(stage.path(as("ann")), held("a.b/one"));
      await stage.apply(stage.path(as("bob")), held("a.b/two"));
      await stage.apply(stage.path(as("ann")), configMap("settings", {}));
    }),
    conforms("a set has each element once", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({}, { finalizers: ["a.b/one", "a.b/one"] }));
    }),
    conforms("owners are identified by their uid", async (stage) => {
      const owner = (uid: string) => ({ apiVersion: "v1", kind: "Node", name: `never-${uid}`, uid });
      await stage.apply(
        stage.path(as("ann", "&dryRun=All")),
        settings({}, { ownerReferences: [owner("1"), owner("2")] }),
      );
    }),
    conforms("an applied object is created again with another uid after it was deleted", async (stage) => {
      await stage.apply(stage.path(as("ann")), settings({ a: "1" }));
      await stage.delete(stage.path("configmaps/settings"));
      await stage.apply(stage.path(as("ann")), settings({ a: "1" }));
    }),
    conforms("the status is applied by itself", async (stage) => {
      await stage.prepare(stage.path("pods"), pod("idle"));
      const status = manifest("v1", "Pod", "idle", { status: { message: "hello" } });
      await stage.apply(stage.path("pods/idle/status?fieldManager=kubelet"), status);
      await stage.apply(stage.path("pods/idle/status?fieldManager=other"), {
        ...status,
        status: { message: "bye" },
      });
    }),
    conforms("a status in a configuration of the whole is not owned", async (stage) => {
      await stage.apply(stage.path("pods/idle?fieldManager=ann"), {
        ...pod("idle"),
        status: { message: "hi" },
      });
    }),
  ],
};
