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
