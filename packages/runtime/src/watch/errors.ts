import { KeelsonError } from "@keelson/core";

/** The base of the errors that a reflector reports about its own watches. The reflector goes on after each of them. */
export abstract class ReflectorError extends KeelsonError {
  static override readonly brand: string = "keelson.ReflectorError";
  /** What was being watched, such as `watch pods in shop`. */
  readonly operation: string;

  constructor(operation: string, message: string) {
    super(`${operation}: ${message}`);
    this.operation = operation;
  }
}

/** The server ended a watch within a second and without an event [RF9]: reopening it at once would be a loop without end. */
export class VeryShortWatchError extends ReflectorError {
  static override readonly brand: string = "keelson.VeryShortWatchError";
  readonly code = "VERY_SHORT_WATCH";

  constructor(operation: string) {
    super(operation, "it ended within a second and without an event; is a proxy cutting streams?");
  }
}

/** A watch was silent for longer than a healthy one is, so that its connection counts as dead [RF17]. */
export class SilentWatchError extends ReflectorError {
  static override readonly brand: string = "keelson.SilentWatchError";
  readonly code = "SILENT_WATCH";
  readonly silentMs: number;

  constructor(operation: string, silentMs: number) {
    super(
      operation,
      `nothing was received for ${Math.round(silentMs / 1000)} s; it is opened again on a new connection`,
    );
    this.silentMs = silentMs;
  }
}

/** The stream of the first objects ended before the server had marked their end [RF3]. */
export class IncompleteSyncError extends ReflectorError {
  static override readonly brand: string = "keelson.IncompleteSyncError";
  readonly code = "INCOMPLETE_SYNC";

  constructor(operation: string) {
    super(operation, "it ended before all objects had come; those that came are dropped and requested again");
  }
}

/** A reflector was run a second time. */
export class ReflectorReusedError extends ReflectorError {
  static override readonly brand: string = "keelson.ReflectorReusedError";
  readonly code = "REFLECTOR_REUSED";

  constructor(operation: string) {
    super(operation, "this reflector has been run before; make a new one for each run");
  }
}
