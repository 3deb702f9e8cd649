import { type ApiUse, type Clock, defineOperator, type Operator, systemClock, usesOf } from "keelson";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { BackUp } from "./api/back-up.ts";
import { backupController } from "./backup/controller.ts";
import { BackUpMetrics } from "./backup/metrics.ts";
import { backupProgress } from "./sample-progress.ts";

export interface BackUpOperatorOptions {
  /** By which the next run is told. Default: the machine's. */
  readonly clock?: Clock;
}

/** What is used beyond watching: server-side apply is a patch that may create. */
const uses: readonly ApiUse[] = [
  ...usesOf(BackUp, ["patch"], "status"),
  // Where a cluster demands it of those who make objects that block the deletion of their owner.
  ...usesOf(BackUp, ["update"], "finalizers"),
  ...usesOf(Job, ["create", "patch", "delete"]),
  ...usesOf(CronJob, ["create", "patch", "delete"]),
];

export function backupOperator({ clock = systemClock }: BackUpOperatorOptions = {}): Operator {
  return defineOperator({
    name: "backup",
    resources: [BackUp],
    uses,
    samples: {
      files: [
        new URL("../samples/mybackup.yaml", import.meta.url),
        new URL("../samples/nightly.yaml", import.meta.url),
      ],
      progress: backupProgress,
    },
    setup: (manager) => {
      const metrics = new BackUpMetrics(manager.metrics.registry);
      manager.add(backupController({ clock, metrics }));
    },
  });
}

/** The BackUp operator, by the machine's clock. */
export const backup: Operator = backupOperator();
