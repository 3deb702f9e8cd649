// Pods that get their settings from a Secret, and are replaced when it changes.
import { controller, defineOperator, defineResource, find, metadataOnly, usesOf, z } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { Secret } from "keelson/kinds/core/v1";
import { applyOwned } from "keelson/object";

export const Worker = defineResource({
  group: "examples.keelson.dev",
  version: "v1",
  kind: "Worker",
  scope: "Namespaced",
  spec: z.object({ image: z.string(), settings: z.string().describe("the name of a Secret") }),
});

/** All that this operator sees of a Secret: that it is there, and that it changed. */
const SecretChange = metadataOnly(Secret);

const workers = controller(Worker)
  .owns(Deployment)
  .watches(SecretChange, async ({ metadata: { namespace = "", name = "" } }, { client }) => {
    const { items } = await client.list(Worker, { namespace, fieldSelector: `settings=${name}` });
    return items.map(({ metadata }) => ({ namespace, name: metadata.name ?? "" }));
  })
  .reconcile(async ({ object, client, events }) => {
    const { namespace = "", name = "" } = object.metadata;
    const { image, settings } = object.spec;
    const secret = await find(client, SecretChange, { namespace, name: settings });
    if (secret === undefined) {
      events.record(object, {
        type: "Warning",
        reason: "NoSettings",
        message: `there is no Secret ${settings}`,
      });
      return;
    }
    const labels = { worker: name };
    // Another template is another rollout, so the pods restart with what the Secret holds now.
    const annotations = { "examples.keelson.dev/settings": secret.metadata.resourceVersion ?? "" };
    const containers = [{ name: "worker", image, envFrom: [{ secretRef: { name: settings } }] }];
    const template = { metadata: { labels, annotations }, spec: { containers } };
    const wanted = { metadata: { name }, spec: { selector: { matchLabels: labels }, template } };
    const { result } = await applyOwned(client, { object, resource: Worker }, Deployment, wanted, {
      fieldOwner: "worker",
    });
    if (result !== "unchanged")
      events.record(object, { type: "Normal", reason: "RolledOut", message: `with Secret ${settings}` });
  });

export const worker = defineOperator({
  name: "worker",
  resources: [Worker],
  uses: usesOf(Deployment, ["create", "patch"]),
  setup: (manager) => {
    manager.cache.addIndex(Worker, "settings", ({ spec }) => [spec.settings]);
    manager.add(workers);
  },
});
