import { ServiceAccount } from "@keelson/core/kinds/core/v1";
import type { StartController } from "../../controller.ts";
import { controllerManager } from "../../manager-name.ts";
import { ensuredPerNamespace } from "../namespace-sweep.ts";

/** Gives every namespace its ServiceAccount `default`. */
export const startDefaultAccounts: StartController = ensuredPerNamespace({
  controller: "serviceaccount-controller",
  resource: ServiceAccount,
  name: "default",
  async ensure({ objects }, namespace, existing) {
    if (existing !== undefined) return;
    const metadata = { name: "default", namespace };
    await objects.create(
      ServiceAccount,
      { apiVersion: "v1", kind: "ServiceAccount", metadata },
      { manager: controllerManager },
    );
  },
});
