import type { RequestMatch } from "./request-match.ts";

/** What goes wrong with a request. */
export type Fault =
  /** An answer in the words of the API server; the request has no effect. */
  | { readonly kind: "refuse"; readonly status: RefusedStatus }
  /** The connection breaks before the request has an effect. */
  | { readonly kind: "drop" }
  /** The request is carried out, and its answer is lost. */
  | { readonly kind: "loseAnswer" }
  /** The request reaches the server so much later. */
  | { readonly kind: "delay"; readonly delayMs: number }
  /** The answer leaves the server so much later. */
  | { readonly kind: "delayAnswer"; readonly delayMs: number }
  /** The body breaks off after so many lines: events of a watch. */
  | { readonly kind: "cut"; readonly afterLines: number };

export interface RefusedStatus {
  readonly code: number;
  /** Default: the usual one for the code, such as `TooManyRequests` for 429. */
  readonly reason?: string;
  readonly message?: string;
  readonly retryAfterSeconds?: number;
}

export interface FaultRule {
  /** Default: every request. */
  readonly match?: RequestMatch;
  readonly fault: Fault;
  /** To how many requests it happens. Default: to all, until the rule is removed. */
  readonly times?: number;
}

/** Makes the server misbehave. */
export interface Faults {
  /** The first rule that matches a request counts. Gives a function that removes the rule. */
  add(rule: FaultRule): () => void;
  /** Removes every rule, and serves fresh lists again. */
  clear(): void;
  /** Breaks the watches that are open now; gives how many these were. */
  cutWatches(match?: RequestMatch): number;
  /**
   * Breaks every connection, and refuses new requests for so long. What is stored stays; the history does not, so that
   * a watch from before gets 410.
   */
  restart(downMs: number): Promise<void>;
  /** Drops the history, so that a watch from the past gets 410. */
  compact(): void;
  /**
   * Lists and gets that allow it (resourceVersion "0", or one that is not newer) show the state of now until `clear`
   * or the returned function is called, as an API server would whose own cache lags behind.
   */
  freezeReads(): () => void;
}
