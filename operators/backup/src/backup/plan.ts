import type { Run } from "./run.ts";
import type { Orphans } from "./world.ts";

/** What is to be done next for a BackUp. The same world gives the same plan, and a settled one an empty plan. */
export interface Plan {
  /** To be owned again, before anything else. */
  readonly adopt: Orphans;
  /** Jobs that are to be there, in order. */
  readonly create: readonly JobToCreate[];
  /** A Job is to be there as soon as the status tells that the one before is gone. */
  readonly holds: boolean;
  /** Jobs that are to go. */
  readonly remove: readonly JobToRemove[];
  /** Jobs that stay, brought to what can be changed of them. */
  readonly keep: readonly JobToKeep[];
  readonly cronJob: CronJobStep;
  /** The spec has changed since a run began. */
  readonly update: Update | undefined;
  /** There is more to do once the status tells of the runs that are there. */
  readonly hasMore: boolean;
}

export interface JobToCreate {
  readonly name: string;
  readonly suspend: boolean;
}

export interface JobToRemove {
  readonly run: Run;
  /** Foreground: the Job is there until its workers have ended, so that they never overlap with the next ones. */
  readonly propagation: "Foreground" | "Background";
}

export interface JobToKeep {
  readonly run: Run;
  readonly suspend: boolean;
}

/** `none`: there is none, or it is as it is to be. */
export type CronJobStep =
  | { readonly kind: "none" }
  | { readonly kind: "apply"; readonly schedule: string; readonly suspend: boolean }
  | { readonly kind: "suspend" }
  | { readonly kind: "remove" };

export interface Update {
  readonly isOfImage: boolean;
  /** A run of the earlier spec goes on. */
  readonly waits: boolean;
}
