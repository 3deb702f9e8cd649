import { KeelsonError } from "@keelson/core";
import type { PendingTimer } from "./timer-list.ts";

/** The base of the errors of this package: each is a mistake of a test, or what a test was to find. */
export abstract class TestkitError extends KeelsonError {
  static override readonly brand: string = "@keelson/testkit.TestkitError";
}

/** What is awaited does not come, however far time is moved. */
export class ClockStuckError extends TestkitError {
  static override readonly brand: string = "@keelson/testkit.ClockStuckError";
  readonly code = "CLOCK_STUCK";
  /** How far time was moved. */
  readonly passedMs: number;
  readonly pendingTimers: readonly PendingTimer[];

  constructor(goal: string, facts: StuckFacts) {
    super(`${goal}: not so after ${facts.passedMs} ms of virtual time, and ${describeStuck(facts)}`);
    this.passedMs = facts.passedMs;
    this.pendingTimers = facts.pendingTimers;
  }
}

interface StuckFacts {
  readonly passedMs: number;
  readonly maxMs: number;
  readonly pendingTimers: readonly PendingTimer[];
}

function describeStuck({ maxMs, pendingTimers }: StuckFacts): string {
  const [next] = pendingTimers;
  if (next === undefined)
    return "no timer is scheduled; something waits for an event, a lock or a server, not for the clock";
  const when = `due in ${next.inMs} ms, later than the limit of ${maxMs} ms`;
  return `the next of ${pendingTimers.length} timers is ${when}; raise maxMs if that is meant`;
}

/** Timers schedule each other for the same moment without end, so that time stands still. */
export class EndlessTimersError extends TestkitError {
  static override readonly brand: string = "@keelson/testkit.EndlessTimersError";
  readonly code = "ENDLESS_TIMERS";

  constructor(goal: string, fired: number) {
    super(`${goal}: ${fired} timers fired at one moment; does a loop wait for 0 ms each time?`);
  }
}

/** Two calls advanced the clock at the same time. */
export class ClockBusyError extends TestkitError {
  static override readonly brand: string = "@keelson/testkit.ClockBusyError";
  readonly code = "CLOCK_BUSY";

  constructor() {
    super("move the clock: it is being moved already; await the earlier call first");
  }
}

/** The transport was closed while the request was held back, or before it was sent. */
export class FaultyTransportClosedError extends TestkitError {
  static override readonly brand: string = "@keelson/testkit.FaultyTransportClosedError";
  readonly code = "FAULTY_TRANSPORT_CLOSED";

  constructor() {
    super("send a request: the transport is closed; make a new one to go on");
  }
}

/** What was stopped cannot be killed or restarted. */
export class SandboxStoppedError extends TestkitError {
  static override readonly brand: string = "@keelson/testkit.SandboxStoppedError";
  readonly code = "SANDBOX_STOPPED";

  constructor(url: string) {
    super(`kill or restart the embedded control plane at ${url}: it was stopped`);
  }
}

/** There is no control plane of that name. */
export class UnknownLevelError extends TestkitError {
  static override readonly brand: string = "@keelson/testkit.UnknownLevelError";
  readonly code = "UNKNOWN_LEVEL";

  constructor(level: string) {
    super(`start a cluster at level "${level}": there are "embedded" and "cluster"`);
  }
}

/** The cluster accepted what a test expects it to refuse. */
export class AcceptedError extends TestkitError {
  static override readonly brand: string = "@keelson/testkit.AcceptedError";
  readonly code = "ACCEPTED";

  constructor(printed: string) {
    super(`be refused: the cluster took it, and kubectl printed ${JSON.stringify(printed)}`);
  }
}
