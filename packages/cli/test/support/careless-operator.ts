import { controller, defineOperator, type Operator } from "keelson";
import { ConfigMap } from "keelson/kinds/core/v1";

const careless = (kind: string | undefined): void => {
  if (kind === "rejection") void Promise.reject(new TypeError("a floating rejection"));
  if (kind === "timer")
    setTimeout(() => {
      throw new TypeError("an error in a timer");
    }, 0);
};

/** Causes the error that a ConfigMap names, in a way that no reconcile can catch. */
export const operator: Operator = defineOperator({
  name: "careless",
  controllers: [controller(ConfigMap).reconcile(async ({ object }) => careless(object.data?.error))],
});
