import { KeelsonError } from "@keelson/core";

/** A value that does not fit its type; the message is in the words of the API server's decoder. */
export class DecodeError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.DecodeError";
  readonly code = "DECODE";
}
