import type { Logger } from "../../logger.ts";
import { readField } from "../log/loggable.ts";
import type { TrackedEvent } from "./correlator.ts";

/** Why an event did not reach the server, or not as one of its own. */
export type EventDropReason =
  /** More events waited to be sent than there is room for. */
  | "buffer_full"
  /** Too many about one object. */
  | "spam"
  /** The server may not be written to; RBAC says no. */
  | "forbidden"
  /** Its namespace is gone or on its way. */
  | "namespace_gone"
  /** The server finds something wrong with it. */
  | "rejected"
  /** The server could not be reached for too long. */
  | "retries_exhausted"
  /** The recorder has been stopped. */
  | "stopped"
  /** The object that it is about does not say its kind or name. */
  | "no_reference"
  /** It, or the object that it is about, cannot be read; a message that is missing, for instance. */
  | "malformed";

/** What a recorder tells about itself, so that metrics can be made of it. Must be quick and must not throw. */
export interface EventObserver {
  /** An event was made on the server, or one that is there was counted up. */
  sent(how: "create" | "patch"): void;
  dropped(reason: EventDropReason): void;
}

/** Counts dropped events and says in the log why, as loud as the reason asks for. */
export class DropReport {
  readonly #log: Logger;
  readonly #observer: EventObserver | undefined;
  readonly #counts = new Map<EventDropReason, number>();

  constructor(log: Logger, observer: EventObserver | undefined) {
    this.#log = log;
    this.#observer = observer;
  }

  get counts(): ReadonlyMap<EventDropReason, number> {
    return this.#counts;
  }

  /** `facts` say which event it is, to people. */
  drop(reason: EventDropReason, facts: EventFacts, error?: unknown): void {
    const count = (this.#counts.get(reason) ?? 0) + 1;
    this.#counts.set(reason, count);
    this.#say(reason, count, { ...facts, ...(error !== undefined && { error }) });
    this.#observer?.dropped(reason);
  }

  #say(reason: EventDropReason, count: number, fields: Readonly<Record<string, unknown>>): void {
    const message = `drop an event: ${meanings[reason]}`;
    // These come in floods, and the first one tells all there is to know.
    const isLoud = loudOnce.has(reason) ? count === 1 : loud.has(reason);
    if (isLoud) this.#log.warn(message, fields);
    else this.#log.debug(message, fields);
  }
}

const loud: ReadonlySet<EventDropReason> = new Set([
  "rejected",
  "retries_exhausted",
  "no_reference",
  "malformed",
]);
const loudOnce: ReadonlySet<EventDropReason> = new Set(["forbidden", "buffer_full"]);

const meanings: Readonly<Record<EventDropReason, string>> = {
  buffer_full: "too many wait to be sent; this is said once",
  spam: "there were too many about this object",
  forbidden:
    "the API server forbids it; grant the verbs create and patch on events and events.events.k8s.io; this is said once",
  namespace_gone: "its namespace is being deleted",
  rejected: "the API server does not take it",
  retries_exhausted: "the API server could not be reached for too long",
  stopped: "the recorder is stopped",
  no_reference: "its object does not say its kind and name",
  malformed: "it cannot be read; give it a reason and a message",
};

/** What people know an event by. */
export type EventFacts = Readonly<Record<string, unknown>>;

export function factsOf({ namespace, name, first }: TrackedEvent): EventFacts {
  const { regarding, type, reason, note } = first;
  return { event: { namespace, name }, regarding, type, reason, note };
}

/** The same of an event that was only tried, with whatever can be read of it. */
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
