import { controller, defineOperator, defineResource, type Operator, z } from "keelson";
import { ConfigMap } from "keelson/kinds/core/v1";

export const Gadget = defineResource({
  group: "cli.example.com",
  version: "v1",
  kind: "Gadget",
  scope: "Namespaced",
  spec: z.object({ size: z.int() }),
});

/** Which replica of a test this is. */
const replica = process.env.REPLICA ?? "only";

/** Creates a ConfigMap for each Gadget, which names its creator. */
export const gadgets: Operator = defineOperator({
  name: "gadgets",
  resources: [Gadget],
  uses: [{ verb: "patch", group: "", resource: "configmaps" }],
  setup: (manager) => {
    manager.add(
      controller(Gadget).reconcile(async ({ object, client, events }) => {
        const { namespace, name } = object.metadata;
        const data = { replica, size: String(object.spec.size) };
        await client.apply(ConfigMap, { metadata: { namespace, name }, data }, { fieldOwner: "gadgets" });
        events.record(object, { type: "Normal", reason: "Made", message: `by ${replica}` });
      }),
    );
  },
});

/** The same under another name is still one operator. */
export const alias: Operator = gadgets;
