import {
  isRecord,
  isStatus,
  type KubeObject,
  parseJson,
  type Resource,
  type Status,
  type Stored,
} from "@keelson/core";
import { MalformedResponseError } from "../errors.ts";
import { asObject } from "../request/response.ts";

/** An event of a watch. */
export type WatchEvent<T extends KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: Stored<T> }
  /** Nothing has changed up to this resource version. `object` has nothing but metadata. */
  | { readonly type: "BOOKMARK"; readonly object: KubeObject }
  /** The watch is over; 410 means that its resource version is too old. */
  | { readonly type: "ERROR"; readonly status: Status };

/** The shape of an event whose object is only known to be what the server serves for the kind. */
export type RawWatchEvent = WatchEvent<KubeObject>;

/** Reads one line of a watch. Throws if it is not an event: a stream that garbles one line is not to be trusted. */
export function parseWatchEvent(line: Buffer, operation: string): RawWatchEvent {
  let event: unknown;
  try {
    event = parseJson(line.toString("utf8"));
  } catch (error) {
    throw new MalformedResponseError(operation, { problem: "an event is not JSON", cause: error });
  }
  if (!isRecord(event)) throw new MalformedResponseError(operation, { problem: "an event is not an object" });
  const { type, object } = event;
  if (type === "ERROR" && isStatus(object)) return { type, status: object };
  const isKnown = type === "ADDED" || type === "MODIFIED" || type === "DELETED" || type === "BOOKMARK";
  if (isKnown && isKubeObject(object)) return { type, object };
  throw new MalformedResponseError(operation, { problem: `an event of type ${String(type)} makes no sense` });
}

function isKubeObject(value: unknown): value is Stored {
  return isRecord(value) && typeof value.kind === "string" && isRecord(value.metadata);
}

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
