import { AlreadyExistsError, type Client, mergePatch, NotFoundError } from "@keelson/client";
import type { KubeObject } from "@keelson/core";
import type { EventForm } from "./event-form.ts";
import type { TrackedEvent } from "./tracked-event.ts";

/** Brings the Event on the server to its present state. */
export type WriteEvent = (event: TrackedEvent, signal: AbortSignal) => Promise<"create" | "patch">;

/** A server that takes longer is asked again. All other events wait meanwhile. */
const timeoutMs = 10_000;

export function eventWriter<T extends KubeObject>(client: Client, form: EventForm<T>): WriteEvent {
  const { resource } = form;
  const create = (event: TrackedEvent, signal: AbortSignal): Promise<T> =>
    client.create(resource, form.object(event), { signal, timeoutMs });
  const patch = ({ namespace, name }: TrackedEvent, change: object, signal: AbortSignal): Promise<T> =>
    client.patch(resource, { namespace, name }, mergePatch(change), { signal, timeoutMs });

  return async (event, signal) => {
    if (event.savedCount > 0) {
      try {
        await patch(event, form.repetition(event), signal);
        return "patch";
      } catch (error) {
        // Events live for an hour. One that is gone is made again, with its count.
        if (!(error instanceof NotFoundError)) throw error;
      }
    }
    try {
      await create(event, signal);
    } catch (error) {
      // An earlier try was carried out and its answer lost; it may have told of fewer repetitions.
      if (!(error instanceof AlreadyExistsError)) throw error;
      if (event.count > 1) await patch(event, form.repetition(event), signal);
    }
    return "create";
  };
}
