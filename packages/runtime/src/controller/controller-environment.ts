import type { Client } from "@keelson/client";
import type { Clock, Random } from "@keelson/core";
import type { Cache } from "../cache/cache.ts";
import type { Logger } from "../logger.ts";
import type { CausalLogLimits } from "./causal/causal-log.ts";
import type { ControllerNames } from "./controller-names.ts";
import type { ControllerObserver } from "./controller-observer.ts";
import type { EventRecorder } from "./event-recorder.ts";
import type { ControllerTracer } from "./run-tracer.ts";

/** How many keys are reconciled at once where a controller does not say it [CT8]. */
export interface ConcurrencyDefaults {
  /** Default 1. */
  readonly default?: number;
  /** By kind and group, such as `WebApp.example.com`, or `Pod` for the core group. */
  readonly byKind?: Readonly<Record<string, number>>;
}

/** What a controller works with; shared by those of a process. */
export interface ControllerEnvironment {
  /** Reads from and writes to the server. */
  readonly client: Client;
  /** Reads from the cache and writes to the server; made of the other two by `cachedClient`. */
  readonly cachedClient: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  /** Default: says nothing. */
  readonly log?: Logger;
  /** Default: records nothing. */
  readonly events?: EventRecorder;
  readonly observer?: ControllerObserver;
  /** Makes traces of reconciles. Default: nothing does. */
  readonly tracer?: ControllerTracer;
  readonly concurrency?: ConcurrencyDefaults;
  /** Default: names are not compared. */
  readonly names?: ControllerNames;
  /** How much the log of runs holds that each controller has of its own. */
  readonly causalLog?: CausalLogLimits;
}
