import type { Clock } from "@keelson/core";
import type { LogFields, Logger } from "./logger.ts";

const windowMs = 60_000;
const mostPerWindow = 20;

/** Warnings of which there may be one for each object: at most 20 a minute are logged, and then that there are more. */
export class LimitedWarnings {
  readonly #log: Logger;
  readonly #clock: Clock;
  #windowEndsMs = 0;
  #logged = 0;

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  warn(message: string, fields: LogFields): void {
    const nowMs = this.#clock.monotonicNow();
    if (nowMs >= this.#windowEndsMs) {
      this.#windowEndsMs = nowMs + windowMs;
      this.#logged = 0;
    }
    this.#logged += 1;
    if (this.#logged <= mostPerWindow) this.#log.warn(message, fields);
    else if (this.#logged === mostPerWindow + 1)
      this.#log.warn(`${message}; more such warnings are left out`);
  }
}
