import type { KubeObject, Resource } from "@keelson/core";
import { asObject } from "../request/answer.ts";
import { parseWatchEvent, type WatchEvent } from "./watch-event.ts";

/** Reads the lines of a watch as events of the kind. */
export async function* typedWatch<T extends KubeObject>(
  resource: Resource<T>,
  operation: string,
  batches: AsyncIterable<readonly Buffer[]>,
): AsyncIterable<WatchEvent<T>> {
  for await (const lines of batches) {
    for (const line of lines) {
      const event = parseWatchEvent(line, operation);
      if (event.type === "BOOKMARK" || event.type === "ERROR") yield event;
      else yield { type: event.type, object: asObject(operation, resource, event.object) };
    }
  }
}
