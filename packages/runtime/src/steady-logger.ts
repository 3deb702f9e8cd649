import { type LogFields, type Logger, silentLogger } from "./logger.ts";
import { normalizeError } from "./source/normalize-error.ts";

/**
 * The logger without its errors: a logger that throws, or whose promise rejects, must not end what it reports on. Its first
 * error is a warning of the process, which Node writes to stderr. Default: logs nothing.
 */
export function steadyLogger(log: Logger = silentLogger): Logger {
  return log === silentLogger || log instanceof SteadyLogger ? log : new SteadyLogger(log, new FirstError());
}

class SteadyLogger implements Logger {
  readonly #inner: Logger;
  /** Shared with all loggers that `with` makes. */
  readonly #errors: FirstError;

  constructor(inner: Logger, errors: FirstError) {
    this.#inner = inner;
    this.#errors = errors;
  }

  debug(message: string, fields?: LogFields): void {
    this.#errors.catch(() => this.#inner.debug(message, fields));
  }

  info(message: string, fields?: LogFields): void {
    this.#errors.catch(() => this.#inner.info(message, fields));
  }

  warn(message: string, fields?: LogFields): void {
    this.#errors.catch(() => this.#inner.warn(message, fields));
  }

  error(message: string, fields?: LogFields): void {
    this.#errors.catch(() => this.#inner.error(message, fields));
  }

  with(fields: LogFields): Logger {
    let inner = this.#inner;
    this.#errors.catch(() => {
      inner = this.#inner.with(fields);
    });
    return new SteadyLogger(inner, this.#errors);
  }
}

/** Catches the errors of a logger, and reports the first one. */
class FirstError {
  #isReported = false;

  catch(write: () => unknown): void {
    try {
      const written = write();
      if (written instanceof Promise) written.catch((error: unknown) => this.#report(error));
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const { message, stack } = normalizeError(error);
    process.emitWarning(`write to the log: ${message}; further errors of this logger are not reported`, {
      type: "KeelsonLogger",
      ...(typeof stack === "string" && { detail: stack }),
    });
  }
}
