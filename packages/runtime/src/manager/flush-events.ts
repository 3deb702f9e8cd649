import { type Clock, toError } from "@keelson/core";
import type { Logger } from "../logger.ts";
import type { BufferedEvents } from "./manager-options.ts";

/** How long the last events may take to be sent. */
const flushMs = 5_000;

/** Sends the last events, the end of the leadership among them, and ends the recorder. Never rejects. */
export async function flushEvents(events: BufferedEvents, clock: Clock, log: Logger): Promise<void> {
  const limit = new AbortController();
  const cancel = clock.schedule(flushMs, () => limit.abort(new Error("events took too long to be sent")));
  try {
    await events.flush(limit.signal);
  } catch (error) {
    log.warn("the last events could not be sent", { error: toError(error) });
  } finally {
    cancel();
  }
  await events.stop();
}
