import { controller, defineOperator, defineResource, type Operator, z } from "keelson";
import { ConfigMap } from "keelson/kinds/core/v1";
import { Greeting, nameOf } from "./greeter.ts";

/** Words that all namespaces share. */
export const Phrase = defineResource({
  group: "testkit.keelson.dev",
  version: "v1",
  kind: "Phrase",
  scope: "Cluster",
  spec: z.object({ text: z.string() }),
});

/** Greets with the Phrase that its settings name; without settings there is none. */
export const wordy: Operator = defineOperator({
  name: "wordy",
  settings: z.object({ phrase: z.string().default("") }),
  parts: ({ settings }) => ({
    resources: [Greeting, Phrase],
    controllers: [
      controller(Greeting)
        .owns(ConfigMap)
        .watches(Phrase, () => [])
        .reconcile(async ({ object, find, apply, setStatus }) => {
          const phrase = await find(Phrase, { name: settings.phrase });
          if (phrase === undefined) return;
          const greeted = `${phrase.spec.text} ${object.spec.whom}`;
          await apply(ConfigMap, {
            metadata: { name: nameOf(object.metadata.name) },
            data: { text: greeted },
          });
          await setStatus({ phase: "Ready", greeted });
        }),
    ],
  }),
});
