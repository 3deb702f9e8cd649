import type { Client } from "@keelson/client";
import type { Clock, Random } from "@keelson/core";
import type { Cache } from "../cache/cache.ts";
import type { Logger } from "../logger.ts";
import type { CausalLogLimits } from "./causal/causal-log.ts";
import type { ConcurrencyDefaults } from "./controller-definition.ts";
import type { ControllerNames } from "./controller-names.ts";
import type { ControllerObserver } from "./controller-observer.ts";
import type { EventRecorder } from "./event-recorder.ts";
import type { ControllerTracer } from "./run-tracer.ts";

/** What a controller is given to work with; the controllers of a process share it. */
export interface ControllerDependencies {
  /** Reads from and writes to the server. */
  readonly client: Client;
  /** Reads from the cache and writes to the server; made of the other two by `cachedClient`. */
  readonly cachedClient: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  /** Default: logs nothing. */
  readonly log?: Logger;
  /** Default: records nothing. */
  readonly events?: EventRecorder;
  readonly observer?: ControllerObserver;
  /** Traces reconciles. Default: they are not traced. */
  readonly tracer?: ControllerTracer;
  readonly concurrency?: ConcurrencyDefaults;
  /** Default: names are not compared. */
  readonly names?: ControllerNames;
  /** The limits of the controller's causal log. */
  readonly causalLog?: CausalLogLimits;
}
