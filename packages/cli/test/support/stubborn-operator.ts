import { controller, defineOperator, type Operator } from "keelson";
import { ConfigMap } from "keelson/kinds/core/v1";

/** Reconciles for ever, even if its signal is aborted. */
export const stubborn: Operator = defineOperator({
  name: "stubborn",
  setup: (manager) => {
    manager.add(
      controller(ConfigMap)
        .named("stubborn")
        .reconcile(async ({ log }) => {
          log.info("hangs");
          await new Promise(() => undefined);
        }),
    );
  },
});
