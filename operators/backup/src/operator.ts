import { defineOperator } from "keelson";
import { backupController } from "./backup/controller.ts";
import { BackUpMetrics } from "./backup/metrics.ts";
import { backupProgress } from "./sample-progress.ts";

/** The BackUp operator: `keelson run backup`. */
export const backup = defineOperator({
  name: "backup",
  controllers: [(metrics) => backupController(new BackUpMetrics(metrics))],
  samples: {
    files: [
      new URL("../samples/mybackup.yaml", import.meta.url),
      new URL("../samples/nightly.yaml", import.meta.url),
    ],
    progress: backupProgress,
  },
});
