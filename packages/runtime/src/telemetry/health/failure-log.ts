import type { Logger } from "../../logger.ts";

/**
 * Says in the log why checks fail, since answers do not. Probes ask every few seconds: aloud it is said when a check
 * begins to fail and when it is well again.
 */
export class FailureLog {
  readonly #log: Logger;
  readonly #failing = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  note(endpoint: string, check: string, error: Error | undefined): void {
    const key = `${endpoint}/${check}`;
    const wasFailing = this.#failing.has(key);
    if (error === undefined) {
      if (this.#failing.delete(key)) this.#log.info("a health check passes again", { endpoint, check });
      return;
    }
    this.#failing.add(key);
    // Its message says all: where in the program it was made is of no use.
    const reason = error.message;
    if (wasFailing) this.#log.debug("a health check still fails", { endpoint, check, reason });
    else this.#log.warn("a health check fails", { endpoint, check, reason });
  }
}
