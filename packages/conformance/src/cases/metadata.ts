import { type CaseGroup, conforms, creations } from "../conformance-case.ts";
import { field } from "../stage.ts";
import { configMap, type Fields, manifest, service } from "./manifests.ts";

const withMetadata = (metadata: Fields): Fields => configMap("settings", { metadata });
const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "u" };

export const metadataCases: CaseGroup = {
  title: "metadata",
  cases: [
    ...creations([
      ["an object needs a name", "configmaps", { apiVersion: "v1", kind: "ConfigMap" }],
      ["a name has no capital letters", "configmaps", configMap("Settings")],
      ["a name has no underscore", "configmaps", configMap("my_settings")],
      ["a name may have dots", "configmaps", configMap("my.settings")],
      ["a name does not end with a dash", "configmaps", configMap("settings-")],
      ["a name has at most 253 characters", "configmaps", configMap("a".repeat(254))],
      ["a name of 253 characters is accepted", "configmaps", configMap("a".repeat(253))],
      ["the name of a Service has no dots", "services", service("my.service")],
      ["the name of a Service begins with a letter", "services", service("1st")],
      [
        "the name of a Role may have colons",
        "rbac.authorization.k8s.io/v1:roles",
        manifest("rbac.authorization.k8s.io/v1", "Role", "system:Thing", { rules: [] }),
      ],
      [
        "the name of a Role has no slash",
        "rbac.authorization.k8s.io/v1:roles",
        manifest("rbac.authorization.k8s.io/v1", "Role", "a/b", { rules: [] }),
      ],
      [
        "a name is made from its beginning",
        "configmaps",
        { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-" } },
      ],
      [
        "a beginning that no name can have is refused",
        "configmaps",
        { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "Made_" } },
      ],
      ["a name wins over its beginning", "configmaps", withMetadata({ generateName: "made-" })],
      ["another namespace than the path's is refused", "configmaps", withMetadata({ namespace: "other" })],
      ["a version is not given at creation", "configmaps", withMetadata({ resourceVersion: "17" })],
      ["a uid that is given is replaced", "configmaps", withMetadata({ uid: "mine" })],
      [
        "what the server sets itself is overwritten",
        "configmaps",
        withMetadata({
          creationTimestamp: "2001-01-01T00:00:00Z",
          generation: 7,
          selfLink: "/here",
          deletionGracePeriodSeconds: 5,
          deletionTimestamp: "2001-01-01T00:00:00Z",
        }),
      ],
      ["a label's name has one slash at most", "configmaps", withMetadata({ labels: { "a/b/c": "x" } })],
      ["a label's name is not empty", "configmaps", withMetadata({ labels: { "": "x" } })],
      ["a label's value has no blanks", "configmaps", withMetadata({ labels: { app: "my app" } })],
      [
        "a label's value has at most 63 characters",
        "configmaps",
        withMetadata({ labels: { a: "x".repeat(64) } }),
      ],
      ["a label's value is a string", "configmaps", withMetadata({ labels: { a: 1 } })],
      [
        "an annotation's name is a qualified name",
        "configmaps",
        withMetadata({ annotations: { "a b": "x" } }),
      ],
      [
        "an annotation's value may be anything",
        "configmaps",
        withMetadata({ annotations: { "a.b/c": "x y\nz" } }),
      ],
      [
        "annotations have at most 256 KiB",
        "configmaps",
        withMetadata({ annotations: { big: "x".repeat(262_145) } }),
      ],
      ["a finalizer is a qualified name", "configmaps", withMetadata({ finalizers: ["not one"] })],
      ["a finalizer without a domain is refused", "configmaps", withMetadata({ finalizers: ["mine"] })],
      ["finalizers are kept", "configmaps", withMetadata({ finalizers: ["example.com/a", "example.com/b"] })],
      [
        "the two finalizers of the server exclude each other",
        "configmaps",
        withMetadata({ finalizers: ["orphan", "foregroundDeletion"] }),
      ],
      ["an owner needs all its fields", "configmaps", withMetadata({ ownerReferences: [{}] })],
      [
        "an owner's version is a version",
        "configmaps",
        withMetadata({ ownerReferences: [{ ...owner, apiVersion: "a/b/c" }] }),
      ],
      [
        "an object has one controller",
        "configmaps",
        withMetadata({
          ownerReferences: [
            { ...owner, controller: true },
            { ...owner, name: "second", uid: "v", controller: true },
          ],
        }),
      ],
      [
        "an event cannot own anything",
        "configmaps",
        withMetadata({ ownerReferences: [{ ...owner, kind: "Event" }] }),
      ],
      ["labels that are null are none", "configmaps", withMetadata({ labels: null, annotations: null })],
      [
        "empty labels are left out",
        "configmaps",
        withMetadata({ labels: {}, annotations: {}, finalizers: [] }),
      ],
      [
        "managed fields of an unknown form are dropped",
        "configmaps",
        withMetadata({ managedFields: [{ manager: "x", operation: "Guess" }] }),
      ],
    ]),
    conforms("made names differ from each other", async (stage) => {
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-" } };
      const one = await stage.create(stage.path("configmaps"), object);
      const other = await stage.create(stage.path("configmaps"), object);
      stage.record("differ", field(one, "metadata.name") !== field(other, "metadata.name"));
    }),
    conforms("a beginning that is too long is cut", async (stage) => {
      const metadata = { generateName: `${"a".repeat(60)}-` };
      const stored = await stage.prepare(stage.path("configmaps"), { metadata });
      stage.record("name", String(field(stored, "metadata.name")).replace(/.{5}$/, ""));
    }),
    conforms("the time of a deletion is not for users to set", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("settings"));
      const path = stage.path("configmaps/settings");
      await stage.patch(path, { metadata: { deletionGracePeriodSeconds: 4 } });
      await stage.patch(path, { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } });
    }),
    conforms("metadata that the server sets stays as it was at an update", async (stage) => {
      const path = stage.path("configmaps/settings");
      const stored = await stage.prepare(stage.path("configmaps"), configMap("settings"));
      const updated = await stage.patch(path, {
        metadata: {
          creationTimestamp: null,
          generation: 9,
          selfLink: "/here",
          deletionGracePeriodSeconds: 4,
        },
      });
      const same = (name: string): boolean => field(stored, name) === field(updated, name);
      stage.record("same time", same("metadata.creationTimestamp"));
      stage.record("same uid", same("metadata.uid"));
    }),
    conforms("a uid and a name do not change", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("settings"));
      const path = stage.path("configmaps/settings");
      await stage.patch(path, { metadata: { uid: "other" } });
      await stage.patch(path, { metadata: { name: "other" } });
      await stage.patch(path, { metadata: { namespace: "other" } });
      await stage.replace(path, configMap("other"));
      await stage.replace(path, configMap("settings", { metadata: { namespace: "other" } }));
    }),
    conforms("broken labels and owners are refused at an update too", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("settings"));
      const path = stage.path("configmaps/settings");
      await stage.patch(path, { metadata: { labels: { "a b": "c" } } });
      await stage.patch(path, { metadata: { ownerReferences: [{ ...owner, uid: "" }] } });
      await stage.patch(path, { metadata: { finalizers: ["x y"] } });
    }),
  ],
};
