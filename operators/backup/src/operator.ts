import { defineOperator } from "keelson";
import { BackUp } from "./api/back-up.ts";
import { backupController } from "./backup/controller.ts";
import { BackUpMetrics } from "./backup/metrics.ts";
import { backupProgress } from "./sample-progress.ts";

/** The BackUp operator: `keelson run backup`. */
export const backup = defineOperator({
  name: "backup",
  resources: [BackUp],
  samples: {
    files: [
      new URL("../samples/mybackup.yaml", import.meta.url),
      new URL("../samples/nightly.yaml", import.meta.url),
    ],
    progress: backupProgress,
  },
  // Each manager has a metrics registry of its own.
  setup: (manager) => {
    manager.add(backupController(new BackUpMetrics(manager.metrics.registry)));
  },
});
