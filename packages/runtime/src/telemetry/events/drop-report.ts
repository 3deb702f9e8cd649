import { Hooks } from "../../hooks.ts";
import type { Logger } from "../../logger.ts";
import { readField } from "../log/loggable.ts";
import type { TrackedEvent } from "./correlator.ts";

/** Why an event was dropped. */
export type EventDropReason =
  /** Too many events waited to be sent. */
  | "buffer_full"
  /** Too many about one object. */
  | "spam"
  /** RBAC does not allow the write. */
  | "forbidden"
  /** Its namespace is deleted or being deleted. */
  | "namespace_gone"
  /** The server refused it as invalid. */
  | "rejected"
  /** The server could not be reached for too long. */
  | "retries_exhausted"
  /** The recorder has been stopped. */
  | "stopped"
  /** The object that it is about has no kind or name. */
  | "no_reference"
  /** The event or its object cannot be read; the message is missing, for example. */
  | "malformed";

/** Observes a recorder, for metrics. The calls must be quick and must not throw. */
export interface EventObserver {
  /** An Event was created, or its count was patched. */
  sent(how: "create" | "patch"): void;
  dropped(reason: EventDropReason): void;
}

/** Counts dropped events, and logs the reason. */
export class DropReport {
  readonly #log: Logger;
  readonly #observer: EventObserver | undefined;
  readonly #hooks: Hooks;
  readonly #counts = new Map<EventDropReason, number>();

  constructor(log: Logger, observer: EventObserver | undefined) {
    this.#log = log;
    this.#observer = observer;
    this.#hooks = new Hooks(log);
  }

  /** An Event was written. */
  sent(how: "create" | "patch"): void {
    this.#hooks.notify("sent of the event observer", () => this.#observer?.sent(how));
  }

  get counts(): ReadonlyMap<EventDropReason, number> {
    return this.#counts;
  }

  /** `facts` identify the event in the log. */
  drop(reason: EventDropReason, facts: EventFacts, error?: unknown): void {
    const count = (this.#counts.get(reason) ?? 0) + 1;
    this.#counts.set(reason, count);
    this.#report(reason, count, { ...facts, ...(error !== undefined && { error }) });
    this.#hooks.notify("dropped of the event observer", () => this.#observer?.dropped(reason));
  }

  #report(reason: EventDropReason, count: number, fields: Readonly<Record<string, unknown>>): void {
    const message = `drop an event: ${meanings[reason]}`;
    // Some reasons come in large numbers, and the first warning is enough.
    const isWarning = warnedOnce.has(reason) ? count === 1 : warned.has(reason);
    if (isWarning) this.#log.warn(message, fields);
    else this.#log.debug(message, fields);
  }
}

const warned: ReadonlySet<EventDropReason> = new Set([
  "rejected",
  "retries_exhausted",
  "no_reference",
  "malformed",
]);
const warnedOnce: ReadonlySet<EventDropReason> = new Set(["forbidden", "buffer_full"]);

const meanings: Readonly<Record<EventDropReason, string>> = {
  buffer_full: "too many wait to be sent; this is logged once",
  spam: "there were too many about this object",
  forbidden:
    "the API server forbids it; grant the verbs create and patch on events and events.events.k8s.io; this is logged once",
  namespace_gone: "its namespace is being deleted",
  rejected: "the API server refuses it as invalid",
  retries_exhausted: "the API server could not be reached for too long",
  stopped: "the recorder is stopped",
  no_reference: "its object has no kind or no name",
  malformed: "it cannot be read; give it a reason and a message",
};

/** What identifies an event in the log. */
export type EventFacts = Readonly<Record<string, unknown>>;

/** The facts of a tracked Event. */
export function factsOf({ namespace, name, first }: TrackedEvent): EventFacts {
  const { regarding, type, reason, note } = first;
  return { event: { namespace, name }, regarding, type, reason, note };
}

/** The facts of an event that could not be recorded, as far as they can be read. */
export function factsOfAttempt(object: object, event: object): EventFacts {
  const metadata = readField(object, "metadata");
  const of = typeof metadata === "object" && metadata !== null ? metadata : {};
  return {
    regarding: {
      kind: readField(object, "kind"),
      namespace: readField(of, "namespace"),
      name: readField(of, "name"),
    },
    type: readField(event, "type"),
    reason: readField(event, "reason"),
    note: readField(event, "message"),
  };
}
