import { TestkitError } from "../errors.ts";
import type { CrashMoment } from "./crashing-transport.ts";
import { formatProblem, type OperatorProblem } from "./problem-log.ts";
import { describeWrite, type RecordedWrite } from "./recorded-write.ts";

/** The API server knows the webhooks and does not call them. */
export class WebhooksNotCalledError extends TestkitError {
  static override readonly brand: string = "@keelson/testkit.WebhooksNotCalledError";
  readonly code = "WEBHOOKS_NOT_CALLED";

  constructor(verbs: readonly string[]) {
    super(
      `run an operator with webhooks: the API server does not call those that ${verbs.join(" or ")}; ` +
        "can it reach 127.0.0.1 of this machine?",
    );
  }
}

/** Something was to come of an operator that has been stopped. */
export class OperatorEndedError extends TestkitError {
  static override readonly brand: string = "@keelson/testkit.OperatorEndedError";
  readonly code = "OPERATOR_ENDED";

  constructor(goal: string) {
    super(`${goal}: it was stopped before`);
  }
}

/** Something that was to come true did not. The message lists the last problems of the operator that was waited for. */
export class NotSettledError extends TestkitError {
  static override readonly brand: string = "@keelson/testkit.NotSettledError";
  readonly code = "NOT_SETTLED";
  /** The last warnings and errors that the operator logged, those of failed reconciles included; the latest one last. */
  readonly problems: readonly OperatorProblem[];

  constructor(goal: string, ms: number, problems: readonly OperatorProblem[] = []) {
    const lines = problems.map((problem) => `\n  ${formatProblem(problem)}`);
    const reasons = lines.length === 0 ? "" : `; the last problems of the operator:${lines.join("")}`;
    super(`${goal}: not so after ${ms} ms${reasons}`, { cause: problems.at(-1)?.error });
    this.problems = problems;
  }
}

/** During which write an operator died. */
export interface CrashPoint {
  /** The first write is 1. */
  readonly index: number;
  /** How many writes there are if it lives on. */
  readonly total: number;
  readonly moment: CrashMoment;
  /** That of the undisturbed run if the scenario did not end; undefined if it ended without so many writes. */
  readonly write: RecordedWrite | undefined;
}

/** An operator that died during a write, and its successor, did not get to where one that lives on gets. */
export class NotConvergedError extends TestkitError {
  static override readonly brand: string = "@keelson/testkit.NotConvergedError";
  readonly code = "NOT_CONVERGED";
  readonly point: CrashPoint;
  /** Where the outcome differs; empty if there was none. */
  readonly differences: readonly string[];

  constructor(
    operator: string,
    point: CrashPoint,
    { differences = [], cause }: { readonly differences?: readonly string[]; readonly cause?: Error },
  ) {
    super(
      `crash operator ${operator} ${describePoint(point)}: ` +
        (cause === undefined
          ? ["the outcome is another one than without a crash", ...differences].join("\n  ")
          : cause.message),
      { cause },
    );
    this.point = point;
    this.differences = differences;
  }
}

function describePoint({ index, total, moment, write }: CrashPoint): string {
  const which = `${moment} write ${index} of ${total}`;
  return write === undefined ? `${which}, which did not come` : `${which} (${describeWrite(write)})`;
}
