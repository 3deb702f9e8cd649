import { admission, controller, defineOperator, defineResource, usesOf, z } from "keelson";
import { ConfigMap } from "keelson/kinds/core/v1";
import { applyOwned, writeStatus } from "keelson/object";

export const fieldOwner = "greeter";

/** Wants a ConfigMap with a greeting. */
export const Greeting = defineResource({
  group: "testkit.keelson.dev",
  version: "v1",
  kind: "Greeting",
  scope: "Namespaced",
  spec: z.object({ whom: z.string(), words: z.string().optional() }),
  status: z.object({ phase: z.string().optional(), greeted: z.string().optional() }),
});

/** What its ConfigMap is called. */
export const nameOf = (name: string): string => `${name}-greeting`;

/** A correct operator: two writes for a new object, and none for one that is in the desired state. */
export const greeter = defineOperator({
  name: "greeter",
  resources: [Greeting],
  uses: [...usesOf(ConfigMap, ["create", "patch"]), ...usesOf(Greeting, ["patch"], "status")],
  setup: (manager) => {
    manager.addWebhooks({
      admissions: [
        admission(Greeting)
          .mutate(({ object }) => {
            object.spec.words ??= "hello";
          })
          .validate(({ object, deny }) => {
            if (object.spec.whom === "") deny("it must name a person to greet", { field: "spec.whom" });
          }),
      ],
    });
    manager.add(
      controller(Greeting)
        .owns(ConfigMap)
        .reconcile(async ({ object, client, events }) => {
          const { words = "hi", whom } = object.spec;
          const data = { text: `${words}, ${whom}` };
          const desired = { metadata: { name: nameOf(object.metadata.name) }, data };
          const owner = { resource: Greeting, object };
          const { result } = await applyOwned(client, owner, ConfigMap, desired, { fieldOwner });
          if (result === "created")
            events.record(object, {
              type: "Normal",
              reason: "Greeted",
              action: "Greet",
              message: `greeted ${whom}`,
            });
          await writeStatus(client, Greeting, object, { phase: "Ready", greeted: whom }, { fieldOwner });
        }),
    );
  },
});
