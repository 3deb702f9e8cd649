import { KeelsonError, type Resource } from "@keelson/core";
import { normalizeError, textOfAny } from "../source/normalize-error.ts";

/** The base of what a controller reports about itself, as opposed to what its reconciler throws. */
export abstract class ControllerError extends KeelsonError {
  static override readonly brand: string = "keelson.ControllerError";
  readonly controller: string;

  constructor(controller: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.controller = controller;
  }
}

/** A definition that cannot work [EV1, EV11]. Reports all that is wrong with it at once. */
export class InvalidControllerError extends ControllerError {
  static override readonly brand: string = "keelson.InvalidControllerError";
  readonly code = "INVALID_CONTROLLER";
  /** Each names the call or the setting that puts it right. */
  readonly problems: readonly string[];

  constructor(controller: string, problems: readonly string[]) {
    super(controller, `build controller ${controller}: ${problems.join("; ")}`);
    this.problems = problems;
  }
}

/** Two controllers with one name: their metrics could not be distinguished [CT15]. */
export class DuplicateControllerNameError extends ControllerError {
  static override readonly brand: string = "keelson.DuplicateControllerNameError";
  readonly code = "DUPLICATE_CONTROLLER_NAME";

  constructor(controller: string) {
    super(
      controller,
      `make controller ${controller}: another one has this name; give it another by .named(), or set allowSharedName`,
    );
  }
}

/** A controller was run a second time [CT11]. */
export class ControllerReusedError extends ControllerError {
  static override readonly brand: string = "keelson.ControllerReusedError";
  readonly code = "CONTROLLER_REUSED";

  constructor(controller: string) {
    super(controller, `run controller ${controller}: it has been run before; make a new one for each run`);
  }
}

/** Sources were not ready in time, so that no reconcile could begin [CT11]. */
export class SourceSyncTimeoutError extends ControllerError {
  static override readonly brand: string = "keelson.SourceSyncTimeoutError";
  readonly code = "SOURCE_SYNC_TIMEOUT";
  readonly sources: readonly string[];
  readonly timeoutMs: number;

  constructor(controller: string, sources: readonly string[], timeoutMs: number) {
    super(
      controller,
      `start controller ${controller}: not synced within ${timeoutMs / 1000} s: ${sources.join(", ")}; ` +
        "do the kinds exist, and may they be listed and watched?",
    );
    this.sources = sources;
    this.timeoutMs = timeoutMs;
  }
}

/** A source reported that it will not become ready [CT11]. */
export class SourceFailedError extends ControllerError {
  static override readonly brand: string = "keelson.SourceFailedError";
  readonly code = "SOURCE_FAILED";
  readonly source: string;

  constructor(controller: string, source: string, cause: Error) {
    super(controller, `start controller ${controller}: ${source} failed: ${cause.message}`, { cause });
    this.source = source;
  }
}

/** A reconcile used up its time; the reason with which its signal aborts [CT10]. */
export class ReconcileTimeoutError extends ControllerError {
  static override readonly brand: string = "keelson.ReconcileTimeoutError";
  readonly code = "RECONCILE_TIMEOUT";
  readonly key: string;
  readonly timeoutMs: number;

  constructor(controller: string, key: string, timeoutMs: number) {
    super(
      controller,
      `reconcile ${key} by ${controller}: it took longer than ${timeoutMs / 1000} s; it is tried again, or raise timeoutMs`,
    );
    this.key = key;
    this.timeoutMs = timeoutMs;
  }
}

/** The controller stops; the reason with which the signals of what runs then abort [CT14]. */
export class ControllerStoppedError extends ControllerError {
  static override readonly brand: string = "keelson.ControllerStoppedError";
  readonly code = "CONTROLLER_STOPPED";

  constructor(controller: string) {
    super(controller, `reconcile by ${controller}: the controller stops`);
  }
}

/** A mistake in a reconciler ended its controller, because `recoverFromThrows` is off [CT9]. */
export class ReconcilerBrokenError extends ControllerError {
  static override readonly brand: string = "keelson.ReconcilerBrokenError";
  readonly code = "RECONCILER_BROKEN";
  readonly key: string;

  constructor(controller: string, key: string, cause: Error) {
    super(
      controller,
      `reconcile ${key} by ${controller}: ${cause.name}: ${cause.message}; recoverFromThrows is off, so the controller ends`,
      { cause },
    );
    this.key = key;
  }
}

/** A reconciler threw something that is not an Error, or is one without a name and a message that are text [CT9]. */
export class NotAnErrorThrownError extends KeelsonError {
  static override readonly brand: string = "keelson.NotAnErrorThrownError";
  readonly code = "NOT_AN_ERROR_THROWN";

  constructor(thrown: unknown) {
    super(
      `reconcile: ${textOfAny(thrown)} was thrown, which is not an Error with a message; throw Errors, which know ` +
        "where they came from",
      { cause: thrown },
    );
  }
}

/** A reconcile failed for good, and the status that should show it could not be written: it is tried again [CT2]. */
export class StatusNotWrittenError extends KeelsonError {
  static override readonly brand: string = "keelson.StatusNotWrittenError";
  readonly code = "STATUS_NOT_WRITTEN";
  /** Why the status could not be written. */
  readonly statusError: Error;

  constructor(failure: Error, statusError: unknown) {
    const reason = normalizeError(statusError);
    super(
      `${failure.message}; the status does not show that, because it could not be written: ${reason.message}`,
      {
        cause: failure,
      },
    );
    this.statusError = reason;
  }
}

/** A reconciler returned something without a meaning, such as a delay that is not a number. */
export class InvalidResultError extends KeelsonError {
  static override readonly brand: string = "keelson.InvalidResultError";
  readonly code = "INVALID_RESULT";
  readonly field: string;

  constructor(field: string, value: unknown) {
    super(`reconcile: its result has ${field} ${textOfAny(value)}; return a finite number, or leave it out`);
    this.field = field;
  }
}

/** `setCondition` was called with something that is no condition. */
export class InvalidConditionError extends KeelsonError {
  static override readonly brand: string = "keelson.InvalidConditionError";
  readonly code = "INVALID_CONDITION";

  constructor({ kind }: Resource, condition: unknown) {
    super(
      `set a condition of ${kind}: ${JSON.stringify(condition)} is no condition; give type, status, reason and message`,
    );
  }
}
