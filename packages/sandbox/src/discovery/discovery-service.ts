import { createHash } from "node:crypto";
import type { ResourceRegistry } from "../resource/resource-registry.ts";
import { pageNotFound } from "../status/api-error.ts";
import { aggregatedDocument, aggregatedType } from "./aggregated-document.ts";
import { apiVersions, groupDocument, groupList, resourceList } from "./legacy-documents.ts";
import { chooseType } from "./media-type.ts";
import { documentUrl, type OpenApiDocument, openApiDocuments, openApiIndex } from "./openapi-documents.ts";
import { type ServedGroup, servedGroups } from "./served-groups.ts";
import { serverVersion } from "./server-version.ts";

export interface DiscoveryAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface DiscoveryOptions {
  /** Where clients reach the server, as `/api` tells it. Default: where the request was sent to. */
  readonly serverAddress?: string;
}

/** Answers a GET of what the server serves; undefined for paths that are not its business. */
export type DiscoveryService = (
  path: string,
  headers: Readonly<Record<string, string>>,
  query: URLSearchParams,
) => DiscoveryAnswer | undefined;

/** Tells clients which kinds there are, in all forms: legacy and aggregated discovery, OpenAPI, the version. */
export function discoveryService(
  registry: ResourceRegistry,
  options: DiscoveryOptions = {},
): DiscoveryService {
  let snapshot: Snapshot | undefined;
  registry.onChange(() => {
    snapshot = undefined;
  });
  return (path, headers, query) => {
    const parts = path.split("/").filter((part) => part !== "");
    const [root] = parts;
    if (root === "version" && parts.length === 1) return json(serverVersion());
    if (root !== "api" && root !== "apis" && root !== "openapi") return undefined;
    snapshot ??= new Snapshot(servedGroups(registry.all()));
    if (root === "openapi") return openApiAnswer(snapshot, parts, headers, query);
    const address = options.serverAddress ?? headers.host ?? "";
    return parts.length === 1
      ? rootAnswer(snapshot, root, headers, address)
      : groupAnswer(snapshot, root, parts.slice(1));
  };
}

/** What is worked out once for each state of the registry, and only when it is asked for. */
class Snapshot {
  readonly groups: readonly ServedGroup[];
  readonly #texts = new Map<string, string>();
  #documents: ReadonlyMap<string, OpenApiDocument> | undefined;

  constructor(groups: readonly ServedGroup[]) {
    this.groups = groups;
  }

  get documents(): ReadonlyMap<string, OpenApiDocument> {
    this.#documents ??= openApiDocuments(this.groups);
    return this.#documents;
  }

  text(key: string, make: () => object): string {
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const text = JSON.stringify(make());
    this.#texts.set(key, text);
    return text;
  }
}

function rootAnswer(
  snapshot: Snapshot,
  root: "api" | "apis",
  headers: Readonly<Record<string, string>>,
  address: string,
): DiscoveryAnswer {
  const type = chooseType(headers.accept);
  const groups = snapshot.groups.filter(({ name }) => (name === "") === (root === "api"));
  if (type !== "aggregated")
    return json(root === "api" ? apiVersions(address) : groupList(snapshot.groups), { vary: "Accept" });
  const body = snapshot.text(`${root} aggregated`, () => aggregatedDocument(groups));
  const etag = `"${createHash("sha512").update(body).digest("hex").toUpperCase()}"`;
  const shared = { "cache-control": "public", etag, vary: "Accept" };
  if (headers["if-none-match"] === etag) return { status: 304, headers: shared, body: "" };
  return { status: 200, headers: { ...shared, "content-type": aggregatedType }, body };
}

/** Below `/api` a version, below `/apis` a group and perhaps a version; what is deeper are objects. */
function groupAnswer(
  snapshot: Snapshot,
  root: "api" | "apis",
  parts: readonly string[],
): DiscoveryAnswer | undefined {
  const [name = "", version, ...deeper] = root === "api" ? ["", ...parts] : parts;
  if (deeper.length > 0) return undefined;
  const group = snapshot.groups.find((one) => one.name === name);
  if (group === undefined) return plainNotFound;
  if (version === undefined) return jsonText(snapshot.text(name, () => groupDocument(group)));
  const served = group.versions.find((one) => one.version === version);
  // Groups of custom kinds have a router of their own, with its own words.
  if (served === undefined) {
    return isCustom(group) ? plainNotFound : { ...json(pageNotFound().status), status: 404 };
  }
  return jsonText(snapshot.text(`${name}/${version}`, () => resourceList(name, served)));
}

function isCustom({ versions }: ServedGroup): boolean {
  return versions.every(({ resources }) => resources.every((resource) => resource.isCustom));
}

function openApiAnswer(
  snapshot: Snapshot,
  [, version, ...rest]: readonly string[],
  headers: Readonly<Record<string, string>>,
  query: URLSearchParams,
): DiscoveryAnswer | undefined {
  if (version === "v2" && rest.length === 0) return { status: 406, headers: { vary: "Accept" }, body: "" };
  if (version !== "v3") return undefined;
  if (rest.length === 0) {
    const body = snapshot.text("openapi", () => openApiIndex(snapshot.documents));
    return { status: 200, headers: { ...uncached, "content-type": "text/plain; charset=utf-8" }, body };
  }
  const path = rest.join("/");
  const document = snapshot.documents.get(path);
  if (document === undefined) return { status: 404, headers: uncached, body: "" };
  return documentAnswer(path, document, headers, query.get("hash"));
}

/** With the right hash it may be kept for ever; with a wrong one the client is sent to the right one. */
function documentAnswer(
  path: string,
  document: OpenApiDocument,
  headers: Readonly<Record<string, string>>,
  hash: string | null,
): DiscoveryAnswer {
  const etag = `"${document.hash}"`;
  const shared = { ...uncached, etag, vary: "Accept" };
  if (chooseType(headers.accept) === undefined) return { status: 406, headers: { vary: "Accept" }, body: "" };
  if (hash !== null && hash !== "" && hash !== document.hash)
    return { status: 301, headers: { ...shared, location: documentUrl(path, document.hash) }, body: "" };
  const caching = hash === document.hash ? { "cache-control": "public, immutable" } : {};
  if (headers["if-none-match"] === etag) return { status: 304, headers: { ...shared, ...caching }, body: "" };
  return {
    status: 200,
    headers: { ...shared, ...caching, "content-type": "application/json" },
    body: document.text(),
  };
}

const uncached = { "cache-control": "no-cache, private" };

const plainNotFound: DiscoveryAnswer = {
  status: 404,
  headers: { ...uncached, "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body: "404 page not found\n",
};

function json(document: object, headers: Readonly<Record<string, string>> = {}): DiscoveryAnswer {
  return jsonText(JSON.stringify(document), headers);
}

function jsonText(body: string, headers: Readonly<Record<string, string>> = {}): DiscoveryAnswer {
  return { status: 200, headers: { ...uncached, "content-type": "application/json", ...headers }, body };
}
