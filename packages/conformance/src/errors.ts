import { KeelsonError } from "@keelson/core";

/** A case waited for something that did not come about on one of the servers. */
export class ConditionNotMetError extends KeelsonError {
  static override readonly brand: string = "@keelson/conformance.ConditionNotMetError";
  readonly code = "CONDITION_NOT_MET";

  constructor(what: string, last: unknown) {
    super(`wait for ${what}: it did not come about; last seen: ${JSON.stringify(last)?.slice(0, 2000)}`);
  }
}

/** A case sends a request as a user that it has not made. */
export class UnknownUserError extends KeelsonError {
  static override readonly brand: string = "@keelson/conformance.UnknownUserError";
  readonly code = "UNKNOWN_USER";

  constructor(name: string) {
    super(`send a request as ${name}: there is no such user; make it with addUser first`);
  }
}
