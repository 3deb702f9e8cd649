import { KeelsonError } from "@keelson/core";

/** A text that names no level of a log. */
export class InvalidLogLevelError extends KeelsonError {
  static override readonly brand: string = "keelson.InvalidLogLevelError";
  readonly code = "INVALID_LOG_LEVEL";
  readonly text: string;

  constructor(text: string, levels: readonly string[]) {
    super(`read log level ${JSON.stringify(text)}: there is no such level; use one of ${levels.join(", ")}`);
    this.text = text;
  }
}
