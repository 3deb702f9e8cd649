import {
  annotationsChanged,
  anyOf,
  type ControllerDefinition,
  controller,
  generationChanged,
  type ObjectKey,
  type Stored,
} from "keelson";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { BackUp } from "../api/back-up.ts";
import { backupLabel, fieldOwner } from "../api/names.ts";
import type { BackUpMetrics } from "./metrics.ts";
import { reconcileBackUp } from "./reconcile.ts";
import { backupNamedIn } from "./resources/names.ts";

/**
 * Reconciles a BackUp when it changes, and when a Job or CronJob changes that it owns, that has its label, or that has the
 * name of its Job. The Jobs of a CronJob are not owned by the BackUp, but have its label; a foreign object that has the
 * name keeps the BackUp waiting until it is deleted.
 */
export function backupController(metrics: BackUpMetrics): ControllerDefinition {
  return controller(BackUp, {
    fieldOwner,
    backoff: "oneSecondToFiveMinutes",
    predicates: [anyOf(generationChanged, annotationsChanged)],
  })
    .owns(Job)
    .owns(CronJob)
    .watches(Job, affectedBackUps)
    .watches(CronJob, affectedBackUps)
    .notFound(({ key }) => metrics.forget(key))
    .reconcile((context) => reconcileBackUp(context, metrics));
}

function affectedBackUps({ metadata }: Stored<Job> | Stored<CronJob>): readonly ObjectKey[] {
  const { namespace, name, labels } = metadata;
  const names = new Set([labels?.[backupLabel], backupNamedIn(name)]);
  return [...names].flatMap((backup) => (backup === undefined ? [] : [{ namespace, name: backup }]));
}
