import { KeelsonError } from "@keelson/core";

/** The base of what a manager reports about itself. */
export abstract class ManagerError extends KeelsonError {
  static override readonly brand: string = "keelson.ManagerError";
}

/** A manager is run once. */
export class ManagerReusedError extends ManagerError {
  static override readonly brand: string = "keelson.ManagerReusedError";
  readonly code = "MANAGER_REUSED";

  constructor() {
    super("run the manager: it has been run before; make a new one");
  }
}

/** Something was added to a manager that stops, or has stopped [MG5]. */
export class ManagerStoppedError extends ManagerError {
  static override readonly brand: string = "keelson.ManagerStoppedError";
  readonly code = "MANAGER_STOPPED";

  constructor(operation: string) {
    super(`${operation}: the manager stops or has stopped; add it earlier`);
  }
}

/** Something that has to be known before the start came after it. */
export class ManagerStartedError extends ManagerError {
  static override readonly brand: string = "keelson.ManagerStartedError";
  readonly code = "MANAGER_STARTED";

  constructor(operation: string) {
    super(`${operation}: the manager has started; do it before \`run\``);
  }
}

/** What was asked for does not fit the manager's options. */
export class InvalidManagerError extends ManagerError {
  static override readonly brand: string = "keelson.InvalidManagerError";
  readonly code = "INVALID_MANAGER";
  readonly problem: string;

  constructor(operation: string, problem: string) {
    super(`${operation}: ${problem}`);
    this.problem = problem;
  }
}

/** Webhooks were added to a manager that was not told where to serve them. */
export class WebhooksNotServedError extends ManagerError {
  static override readonly brand: string = "keelson.WebhooksNotServedError";
  readonly code = "WEBHOOKS_NOT_SERVED";

  constructor() {
    super(
      "add webhooks: this manager serves none; set `webhooks` in its options, with port -1 to leave them out on purpose",
    );
  }
}

/** A group of runnables takes no more. */
export class GroupStoppedError extends ManagerError {
  static override readonly brand: string = "keelson.GroupStoppedError";
  readonly code = "GROUP_STOPPED";

  constructor(group: string, member: string) {
    super(`add ${member} to ${group}: they stop or have stopped; add it earlier`);
  }
}

/** Not everything ended in the time that was given for it [MG3]. */
export class GraceExceededError extends ManagerError {
  static override readonly brand: string = "keelson.GraceExceededError";
  readonly code = "GRACE_EXCEEDED";
  readonly graceMs: number;
  /** What still runs. */
  readonly unfinished: readonly string[];

  constructor(graceMs: number, unfinished: readonly string[]) {
    super(
      `stop the manager: still running after ${graceMs / 1000} s: ${unfinished.join(", ")}; ` +
        "have them heed their signal, or give them a longer grace period",
    );
    this.graceMs = graceMs;
    this.unfinished = unfinished;
  }
}
