import type { Client } from "@keelson/client";
import type { Cluster } from "../start-cluster.ts";

/** Where a story takes place. */
export interface StoryWorld {
  /** Of this run alone. */
  readonly namespace: string;
  /** The administrator's; it never fails. */
  readonly client: Client;
  readonly cluster: Cluster;
}

/** What has been done so far. */
export type StoryStage = "prepared" | "acted";

/** What users do with an operator, and what is to come of it, whenever the operator dies. */
export interface CrashStory {
  /** What a user does first. */
  prepare(world: StoryWorld): Promise<void>;
  /** What a user does once that has settled. Default: nothing. */
  act?(world: StoryWorld): Promise<void>;
  /** Whether all that was done so far has come about. An object that it asks for and that is not there means: no. */
  isSettled(world: StoryWorld, stage: StoryStage): Promise<boolean>;
  /** What must be the same in the end, such as `normalized` objects. */
  outcome(world: StoryWorld): Promise<unknown>;
}
