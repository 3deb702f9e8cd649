import {
  annotationsChanged,
  anyOf,
  type ControllerDefinition,
  controller,
  generationChanged,
  type KubeObject,
  type ObjectKey,
} from "keelson";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { BackUp } from "../api/back-up.ts";
import { backupLabel } from "../api/names.ts";
import { reconcile, type Surroundings } from "./reconcile.ts";
import { backupNamedIn } from "./resources/names.ts";

/**
 * Reconciles BackUps. Jobs of a CronJob are not owned by the BackUp but carry its name as a label. Whoever has the name
 * that a BackUp needs concerns it too, even if it is somebody else's: the name may become free.
 */
export function backupController(surroundings: Surroundings): ControllerDefinition {
  return controller(BackUp, {
    backoff: "oneSecondToFiveMinutes",
    predicates: [anyOf(generationChanged, annotationsChanged)],
  })
    .owns(Job)
    .owns(CronJob)
    .watches(Job, concerned)
    .watches(CronJob, concerned)
    .reconcileKey((context) => reconcile(context, surroundings));
}

function concerned({ metadata }: KubeObject): readonly ObjectKey[] {
  const { namespace = "", name = "", labels } = metadata;
  const names = new Set([labels?.[backupLabel], backupNamedIn(name)]);
  return [...names].flatMap((backup) => (backup === undefined ? [] : [{ namespace, name: backup }]));
}
