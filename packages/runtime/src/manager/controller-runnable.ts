import type { Controller } from "../controller/controller.ts";
import type { ControllerSettings } from "../controller/controller-definition.ts";
import type { Runnable } from "./runnable.ts";

/** A controller as a manager runs it. */
export function controllerRunnable<Key>(controller: Controller<Key>, settings: ControllerSettings): Runnable {
  const { warmUp = false, needsLeadership = true } = settings;
  return {
    name: `controller ${controller.name}`,
    needsLeadership,
    run: (signal) => controller.run(signal),
    ...(warmUp && {
      warmUp: async (signal: AbortSignal) => {
        await controller.warmUp(signal);
        await controller.ended();
      },
    }),
  };
}
