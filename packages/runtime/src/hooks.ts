import type { Logger } from "./logger.ts";
import { normalizeError } from "./source/normalize-error.ts";

/**
 * Calls hooks, the functions of the user that the runtime calls. An error of a hook does not reach the runtime; the first
 * one of each hook is logged.
 */
export class Hooks {
  readonly #log: Logger;
  readonly #reported: Set<string> = new Set();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Calls a hook whose result is not used, be it a promise or not. */
  notify(name: string, call: () => unknown): void {
    this.guarded(name, call)();
  }

  /** The hook without its errors, for hooks that are called often. Its result is not used, be it a promise or not. */
  guarded<Args extends readonly unknown[]>(
    name: string,
    hook: (...args: Args) => unknown,
  ): (...args: Args) => void {
    return (...args) => {
      try {
        const result = hook(...args);
        if (result instanceof Promise) result.catch((error: unknown) => this.report(name, error));
      } catch (error) {
        this.report(name, error);
      }
    };
  }

  /** The result of a hook; that of `fallback` if the hook throws. */
  call<Value>(name: string, call: () => Value, fallback: () => Value): Value {
    try {
      return call();
    } catch (error) {
      this.report(name, error);
      return fallback();
    }
  }

  /** Logs an error of a hook, unless one of this hook was logged before. */
  report(name: string, thrown: unknown): void {
    if (this.#reported.has(name)) return;
    this.#reported.add(name);
    const error = normalizeError(thrown);
    this.#log.error(
      `call ${name}: ${error.message}; the runtime goes on, and further errors of it are not logged`,
      {
        hook: name,
        error,
      },
    );
  }
}
