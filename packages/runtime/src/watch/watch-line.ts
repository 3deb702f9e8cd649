import { apiErrorFrom, parseWatchEvent } from "@keelson/client";
import { apiVersionOf, type Kind, type KubeObject, type Resource } from "@keelson/core";
import { stripManagedFields, withoutManagedFields } from "./strip-managed-fields.ts";
import { errorEventFailure } from "./watch-failure.ts";
import type { WatchInput } from "./watch-state.ts";

const endOfInitialEvents = "k8s.io/initial-events-end";

export interface WatchLineOptions<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly operation: string;
  readonly keepManagedFields: boolean;
}

/** What a line of a watch means to the machine. Throws a MalformedResponseError if it is not an event [RF20]. */
export function readWatchLine<T extends KubeObject>(
  line: Buffer,
  { resource, operation, keepManagedFields }: WatchLineOptions<T>,
): WatchInput<T> {
  const event = parseWatchEvent(keepManagedFields ? line : stripManagedFields(line), operation);
  if (event.type === "ERROR") {
    return { type: "streamEnded", failure: errorEventFailure(apiErrorFrom(operation, event.status)) };
  }
  const { type, object } = event;
  if (!isOfKind(resource, object)) {
    const description = `skipped an event about ${object.kind} of ${object.apiVersion}, which was not asked for`;
    return { type: "strangeEvent", description };
  }
  if (type !== "BOOKMARK") {
    return {
      type: "event",
      event: { type, object: keepManagedFields ? object : withoutManagedFields(object) },
    };
  }
  const { resourceVersion = "", annotations } = object.metadata;
  const endsInitialEvents = annotations?.[endOfInitialEvents] === "true";
  return { type: "event", event: { type, resourceVersion, endsInitialEvents } };
}

/** The server guarantees the fields of a kind that it serves, so only the kind is looked at [RF14]. */
function isOfKind<T extends KubeObject>(resource: Kind<T>, object: KubeObject): object is T {
  return resource.isMetadataOnly === true
    ? object.kind === "PartialObjectMetadata" && object.apiVersion === "meta.k8s.io/v1"
    : object.kind === resource.kind && object.apiVersion === apiVersionOf(resource);
}
