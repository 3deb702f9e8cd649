import type { Orphans } from "./actual-state.ts";
import type { Run } from "./run.ts";

/** The next steps for a BackUp. The same actual state gives the same plan, and a settled one a plan that writes nothing. */
export interface Plan {
  /** Orphans to adopt, before any other step. */
  readonly adopt: Orphans;
  /** Jobs to create, in order. */
  readonly create: readonly JobToCreate[];
  /** A Job is to be created as soon as the status records that the one before was deleted. */
  readonly holds: boolean;
  /** Jobs to delete. */
  readonly remove: readonly JobToRemove[];
  /** Jobs that stay, and whose changeable fields are brought to the desired state. */
  readonly keep: readonly JobToKeep[];
  readonly cronJob: CronJobStep;
  /** Set if the spec has changed since a run started. */
  readonly update: Update | undefined;
  /** There is more to do once the status records the runs that exist. */
  readonly hasMore: boolean;
}

export interface JobToCreate {
  readonly name: string;
  readonly suspend: boolean;
}

export interface JobToRemove {
  readonly run: Run;
  /** Foreground: the Job exists until its workers have ended, so that they never overlap with those of the next Job. */
  readonly propagation: "Foreground" | "Background";
}

export interface JobToKeep {
  readonly run: Run;
  readonly suspend: boolean;
}

/** `none`: no CronJob exists and none is desired. */
export type CronJobStep =
  | { readonly kind: "none" }
  | { readonly kind: "apply"; readonly schedule: string; readonly suspend: boolean }
  | { readonly kind: "suspend" }
  | { readonly kind: "remove" };

export interface Update {
  readonly isOfImage: boolean;
  /** The run of the earlier spec finishes first. */
  readonly waits: boolean;
}
