import { KeelsonError } from "@keelson/core";

/** Something was sent through a channel that is closed. */
export class ChannelClosedError extends KeelsonError {
  static override readonly brand: string = "keelson.ChannelClosedError";
  readonly code = "CHANNEL_CLOSED";

  constructor() {
    super("send through a channel: it is closed; make a new one, or do not close it before the last event");
  }
}
