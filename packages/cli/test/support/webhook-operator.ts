import { admission, defineOperator, type Operator } from "keelson";
import { ConfigMap } from "keelson/kinds/core/v1";

/** Refuses ConfigMaps that carry its label and are bad. It is called for no other ConfigMaps, as tests create some. */
export const guard: Operator = defineOperator({
  name: "guard",
  setup: (manager) => {
    const guarded = admission(ConfigMap, { objectSelector: { matchLabels: { guarded: "true" } } });
    manager.addWebhooks({
      admissions: [
        guarded.validate(({ object, deny }) => {
          if (object.data?.bad !== undefined) deny("data.bad is not allowed");
        }),
      ],
    });
  },
});
