import { apiErrorFrom, parseWatchEvent } from "@keelson/client";
import { apiVersionOf, type Kind, type KubeObject, type Resource } from "@keelson/core";
import { parsedSnapshot, unparsedSnapshot } from "./snapshot.ts";
import { stripManagedFields, withoutManagedFields } from "./strip-managed-fields.ts";
import { errorEventFailure } from "./watch-failure.ts";
import { WatchLineScanner } from "./watch-line-scanner.ts";
import type { WatchInput } from "./watch-state.ts";

const endOfInitialEvents = "k8s.io/initial-events-end";

export interface WatchLineOptions<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly operation: string;
  readonly keepManagedFields: boolean;
  /** Whether objects stay unparsed where that is possible. */
  readonly parseOnRead: boolean;
}

/** Knows what the lines of a watch mean to the machine. */
export class WatchLineReader<T extends KubeObject> {
  readonly #options: WatchLineOptions<T>;
  /** Undefined if every line is parsed. */
  readonly #scanner: WatchLineScanner | undefined;

  constructor(options: WatchLineOptions<T>) {
    const { resource, keepManagedFields, parseOnRead } = options;
    this.#options = options;
    this.#scanner = parseOnRead
      ? new WatchLineScanner({ ...identityOf(resource), keepManagedFields })
      : undefined;
  }

  /** Throws a MalformedResponseError if the line is not an event [RF20]. */
  read(line: Buffer): WatchInput<T> {
    const scanned = this.#scanner?.scan(line);
    if (scanned === undefined) return parseWatchLine(line, this.#options);
    return { type: "event", event: { type: scanned.type, snapshot: unparsedSnapshot(scanned) } };
  }
}

function parseWatchLine<T extends KubeObject>(
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
    const kept = keepManagedFields ? object : withoutManagedFields(object);
    return { type: "event", event: { type, snapshot: parsedSnapshot(kept) } };
  }
  const { resourceVersion = "", annotations } = object.metadata;
  const endsInitialEvents = annotations?.[endOfInitialEvents] === "true";
  return { type: "event", event: { type, resourceVersion, endsInitialEvents } };
}

/** The server guarantees the fields of a kind that it serves, so only the kind is looked at [RF14]. */
function isOfKind<T extends KubeObject>(resource: Kind<T>, object: KubeObject): object is T {
  const { apiVersion, kind } = identityOf(resource);
  return object.kind === kind && object.apiVersion === apiVersion;
}

function identityOf(resource: Kind): { readonly apiVersion: string; readonly kind: string } {
  return resource.isMetadataOnly === true
    ? { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata" }
    : { apiVersion: apiVersionOf(resource), kind: resource.kind };
}
