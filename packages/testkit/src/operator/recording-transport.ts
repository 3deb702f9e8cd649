import type { Transport } from "@keelson/core";
import { type RecordedWrite, writeOf } from "./recorded-write.ts";

/** Tells of each write before it is sent. Each repetition of one that was refused is another. */
export function recordingTransport(inner: Transport, onWrite: (write: RecordedWrite) => void): Transport {
  return {
    send: (request) => {
      const write = writeOf(request);
      if (write !== undefined) onWrite(write);
      return inner.send(request);
    },
    close: () => inner.close(),
  };
}
