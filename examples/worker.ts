// Pods that get their settings from a Secret, and are replaced when it changes.
import { cacheIndex, controller, defineOperator, defineResource, metadataOnly, z } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { Secret } from "keelson/kinds/core/v1";

export const Worker = defineResource({
  group: "examples.keelson.dev",
  version: "v1",
  kind: "Worker",
  spec: z.object({ image: z.string(), settings: z.string().describe("the name of a Secret") }),
});

/** All that this operator reads of a Secret: that it exists, and that it changed. */
const SecretChange = metadataOnly(Secret);

const workers = controller(Worker)
  .owns(Deployment)
  .watches(SecretChange, async ({ metadata: { namespace = "", name } }, { client }) => {
    const { items } = await client.list(Worker, { namespace, fieldSelector: `settings=${name}` });
    return items.map(({ metadata }) => ({ namespace, name: metadata.name }));
  })
  .reconcile(async ({ object, applyWithResult, event, find }) => {
    const { name } = object.metadata;
    const { image, settings } = object.spec;
    const secret = await find(SecretChange, settings);
    if (secret === undefined) return event("Warning", "NoSettings", `there is no Secret ${settings}`);
    const labels = { worker: name };
    // Another template is another rollout, so the pods restart with what the Secret holds now.
    const annotations = { "examples.keelson.dev/settings": secret.metadata.resourceVersion };
    const containers = [{ name: "worker", image, envFrom: [{ secretRef: { name: settings } }] }];
    const template = { metadata: { labels, annotations }, spec: { containers } };
    const spec = { selector: { matchLabels: labels }, template };
    const { result } = await applyWithResult(Deployment, { metadata: { name }, spec });
    if (result !== "unchanged") event("Normal", "RolledOut", `with Secret ${settings}`);
  });

export const worker = defineOperator({
  name: "worker",
  controllers: [workers],
  indexes: [cacheIndex(Worker, "settings", ({ spec }) => [spec.settings])],
});
