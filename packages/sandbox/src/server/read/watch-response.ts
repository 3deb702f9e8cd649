import { apiVersionOf, type GenericObject } from "@keelson/core";
import { ApiError } from "../../status/api-error.ts";
import { notAcceptable } from "../../status/request-errors.ts";
import { type ApiResponse, jsonHeaders } from "../response/response.ts";
import { partialMetadata, tableHead, tableRow } from "../response/table.ts";
import type { ReadDependencies } from "../server-dependencies.ts";
import { servedObject } from "../write/served-objects.ts";
import { eventLine } from "./event-lines.ts";
import type { ListView } from "./list-response.ts";
import { type OpenWatch, openWatch, type WatchItem, type WatchRequest } from "./watch.ts";

const chunkSize = 64 * 1024;
/** Events that are encoded together. */
const batchSize = 200;

/** A stream of watch events, one per line. */
export function watchResponse(
  dependencies: ReadDependencies,
  request: WatchRequest,
  view: ListView,
): ApiResponse {
  if (view.accepted.as === "PartialObjectMetadataList") {
    throw notAcceptable("you requested PartialObjectMetadataList, but the requested object is not a list");
  }
  const watch = openWatch(dependencies, request);
  return { status: 200, headers: jsonHeaders, body: watchLines(dependencies, watch, view) };
}

async function* watchLines(
  dependencies: ReadDependencies,
  watch: OpenWatch,
  view: ListView,
): AsyncGenerator<Uint8Array> {
  const encoder = new EventEncoder(dependencies, view);
  try {
    for (;;) {
      const items = await watch.queue.take();
      if (items === undefined) return;
      const [only] = items;
      // A watcher that keeps up gets single events; with a thousand watchers each step counts.
      if (only !== undefined && items.length === 1) {
        const line = encoder.encode(only);
        yield isReady(line) ? line : await line;
        continue;
      }
      for (let start = 0; start < items.length; start += batchSize) {
        const encoded = items.slice(start, start + batchSize).map((item) => encoder.encode(item));
        const lines = encoded.every(isReady) ? encoded : await Promise.all(encoded);
        for (const chunk of chunksOf(lines)) yield chunk;
      }
    }
  } catch (error) {
    // A failed conversion ends a watch with an ERROR event.
    if (!(error instanceof ApiError)) throw error;
    yield eventLine("ERROR", error.status);
  } finally {
    watch.stop();
  }
}

function isReady(line: Uint8Array | Promise<Uint8Array>): line is Uint8Array {
  return line instanceof Uint8Array;
}

function* chunksOf(encoded: readonly Uint8Array[]): Generator<Uint8Array> {
  let lines: Uint8Array[] = [];
  let size = 0;
  for (const line of encoded) {
    lines.push(line);
    size += line.length;
    if (size < chunkSize) continue;
    yield joined(lines, size);
    lines = [];
    size = 0;
  }
  if (size > 0) yield joined(lines, size);
}

function joined(lines: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = lines;
  return lines.length === 1 && first !== undefined ? first : Buffer.concat(lines, size);
}

/** Encodes events in the representation of one watch. */
class EventEncoder {
  readonly #dependencies: ReadDependencies;
  readonly #view: ListView;
  readonly #key: string;
  /** Only the first Table of a watch has column definitions. */
  #hasDescribedColumns = false;

  constructor(dependencies: ReadDependencies, view: ListView) {
    this.#dependencies = dependencies;
    this.#view = view;
    const { as = "", metaVersion } = view.accepted;
    this.#key = `${apiVersionOf(view.resource)} ${as} ${metaVersion}`;
  }

  encode(item: WatchItem): Uint8Array | Promise<Uint8Array> {
    if (item.type === "ERROR") return eventLine("ERROR", item.error.status);
    if (item.type === "BOOKMARK") return eventLine("BOOKMARK", this.#show(this.#bookmark(item)));
    const served = servedObject(this.#view.resource, item.object);
    return served instanceof Promise
      ? served.then((object) => this.#line(item, object))
      : this.#line(item, served);
  }

  #line(item: Extract<WatchItem, { readonly object: GenericObject }>, object: GenericObject): Uint8Array {
    const { type, isInitial } = item;
    // Initial events are seldom shared; keeping their lines would keep every object twice.
    if (isInitial || this.#view.accepted.as === "Table") return eventLine(type, this.#show(object));
    return this.#dependencies.lines.shared(type, object, this.#key, () => this.#show(object));
  }

  #bookmark(item: Extract<WatchItem, { readonly type: "BOOKMARK" }>): GenericObject {
    const { kind } = this.#view.resource;
    const { resourceVersion, isEndOfInitial } = item;
    const annotations = { "k8s.io/initial-events-end": "true" };
    return {
      kind,
      apiVersion: apiVersionOf(this.#view.resource),
      metadata: isEndOfInitial ? { resourceVersion, annotations } : { resourceVersion },
    };
  }

  #show(object: GenericObject): object {
    const { accepted, resource, included } = this.#view;
    const { as, metaVersion } = accepted;
    if (as === undefined) return object;
    if (as !== "Table") return partialMetadata(object, metaVersion);
    const { resourceVersion } = object.metadata;
    const request = { resource, metaVersion, included, now: this.#dependencies.clock.now() };
    const head = tableHead(request, resourceVersion === undefined ? {} : { resourceVersion });
    const columns = this.#hasDescribedColumns ? { columnDefinitions: null } : {};
    this.#hasDescribedColumns = true;
    return { ...head, ...columns, rows: [tableRow(request, object)] };
  }
}
