import { KeelsonError } from "@keelson/core";

/** The base of the errors of a manager. */
export abstract class ManagerError extends KeelsonError {
  static override readonly brand: string = "keelson.ManagerError";
}

/** `run` was called a second time; a manager runs once. */
export class ManagerReusedError extends ManagerError {
  static override readonly brand: string = "keelson.ManagerReusedError";
  readonly code = "MANAGER_REUSED";

  constructor() {
    super("run the manager: it has been run before; create a new one");
  }
}

/** A part was added to a manager that is stopping or has stopped [MG5]. */
export class ManagerStoppedError extends ManagerError {
  static override readonly brand: string = "keelson.ManagerStoppedError";
  readonly code = "MANAGER_STOPPED";

  constructor(operation: string) {
    super(`${operation}: the manager is stopping or has stopped; add it earlier`);
  }
}

/** An operation that is allowed only before the start came after it. */
export class ManagerStartedError extends ManagerError {
  static override readonly brand: string = "keelson.ManagerStartedError";
  readonly code = "MANAGER_STARTED";

  constructor(operation: string) {
    super(`${operation}: the manager has started; do it before \`run\``);
  }
}

/** The arguments of an operation are invalid for the manager. */
export class InvalidManagerError extends ManagerError {
  static override readonly brand: string = "keelson.InvalidManagerError";
  readonly code = "INVALID_MANAGER";
  readonly problem: string;

  constructor(operation: string, problem: string) {
    super(`${operation}: ${problem}`);
    this.problem = problem;
  }
}

/** Webhooks were added to a manager whose options have no `webhooks`. */
export class WebhooksNotServedError extends ManagerError {
  static override readonly brand: string = "keelson.WebhooksNotServedError";
  readonly code = "WEBHOOKS_NOT_SERVED";

  constructor() {
    super(
      "add webhooks: this manager serves none; set `webhooks` in its options, or set its port to -1 to serve none on purpose",
    );
  }
}

/** A runnable was added to a group that is stopping or has stopped. */
export class GroupStoppedError extends ManagerError {
  static override readonly brand: string = "keelson.GroupStoppedError";
  readonly code = "GROUP_STOPPED";

  constructor(group: string, runnable: string) {
    super(`add ${runnable} to ${group}: they are stopping or have stopped; add it earlier`);
  }
}

/** Some runnables did not end within the grace period [MG3]. */
export class GraceExceededError extends ManagerError {
  static override readonly brand: string = "keelson.GraceExceededError";
  readonly code = "GRACE_EXCEEDED";
  readonly graceMs: number;
  /** The runnables that still run. */
  readonly unfinished: readonly string[];

  constructor(graceMs: number, unfinished: readonly string[]) {
    super(
      `stop the manager: still running after ${graceMs / 1000} s: ${unfinished.join(", ")}; ` +
        "end them when their signal aborts, or set a longer grace period",
    );
    this.graceMs = graceMs;
    this.unfinished = unfinished;
  }
}
