import { createHash } from "node:crypto";
import type { ResourceRegistry } from "../resource/resource-registry.ts";
import { parseAccept, wantsPretty } from "../server/request/accepted-type.ts";
import { pageNotFound } from "../status/api-error.ts";
import { aggregatedDocument, aggregatedType } from "./aggregated-document.ts";
import { apiVersions, groupDocument, groupList, resourceList, serverVersion } from "./legacy-documents.ts";
import { documentUrl, type OpenApiDocument, openApiDocuments, openApiIndex } from "./openapi-documents.ts";
import { type OpenApiV2Document, openApiV2Document } from "./openapi-v2-document.ts";
import { type DescribeSchema, schemaDescriptions } from "./schema-descriptions.ts";
import { type ServedGroup, servedGroups } from "./served-groups.ts";

export interface DiscoveryResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

interface DiscoveryOptions {
  /** The address of the server in the document at `/api`. Default: the host of the request. */
  readonly serverAddress?: string;
  /** Default: the short descriptions of this package. */
  readonly describe?: DescribeSchema;
}

/** The response to a GET of a discovery path; undefined for other paths. */
export type DiscoveryService = (
  path: string,
  headers: Readonly<Record<string, string>>,
  query: URLSearchParams,
) => DiscoveryResponse | undefined;

/** Serves legacy and aggregated discovery, OpenAPI and the version. */
export function discoveryService(
  registry: ResourceRegistry,
  options: DiscoveryOptions = {},
): DiscoveryService {
  const { describe = schemaDescriptions() } = options;
  let snapshot: Snapshot | undefined;
  registry.onChange(() => {
    snapshot = undefined;
  });
  return (path, headers, query) => {
    const parts = path.split("/").filter((part) => part !== "");
    const [root] = parts;
    if (root === "version" && parts.length === 1) return json(serverVersion());
    if (root !== "api" && root !== "apis" && root !== "openapi") return undefined;
    snapshot ??= new Snapshot(servedGroups(registry.all()), describe);
    if (root === "openapi") return openApiResponse(snapshot, parts, headers, query);
    const address = options.serverAddress ?? headers.host ?? "";
    const response =
      parts.length === 1
        ? rootResponse(snapshot, root, headers, address)
        : groupResponse(snapshot, root, parts.slice(1));
    return wantsPretty(query, headers["user-agent"] ?? "") ? laidOut(response) : response;
  };
}

function laidOut(response: DiscoveryResponse | undefined): DiscoveryResponse | undefined {
  if (typeof response?.body !== "string" || !response.body.startsWith("{")) return response;
  return { ...response, body: JSON.stringify(JSON.parse(response.body), undefined, 2) };
}

/** The documents for one state of the registry, each computed on its first request. */
class Snapshot {
  readonly groups: readonly ServedGroup[];
  readonly #describe: DescribeSchema;
  readonly #texts = new Map<string, string>();
  #documents: ReadonlyMap<string, OpenApiDocument> | undefined;
  #wholeDocument: OpenApiV2Document | undefined;

  constructor(groups: readonly ServedGroup[], describe: DescribeSchema) {
    this.groups = groups;
    this.#describe = describe;
  }

  get documents(): ReadonlyMap<string, OpenApiDocument> {
    this.#documents ??= openApiDocuments(this.groups, this.#describe);
    return this.#documents;
  }

  get wholeDocument(): OpenApiV2Document {
    this.#wholeDocument ??= openApiV2Document(
      this.groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources)),
      this.#describe,
    );
    return this.#wholeDocument;
  }

  text(key: string, make: () => object): string {
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const text = JSON.stringify(make());
    this.#texts.set(key, text);
    return text;
  }
}

function rootResponse(
  snapshot: Snapshot,
  root: "api" | "apis",
  headers: Readonly<Record<string, string>>,
  address: string,
): DiscoveryResponse {
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

/** Below `/api` a version, below `/apis` a group and perhaps a version; longer paths name resources. */
function groupResponse(
  snapshot: Snapshot,
  root: "api" | "apis",
  parts: readonly string[],
): DiscoveryResponse | undefined {
  const [groupName = "", version, ...deeper] = root === "api" ? ["", ...parts] : parts;
  if (deeper.length > 0) return undefined;
  const group = snapshot.groups.find((one) => one.name === groupName);
  if (group === undefined) return plainNotFound;
  if (version === undefined) return jsonText(snapshot.text(groupName, () => groupDocument(group)));
  const served = group.versions.find((one) => one.version === version);
  // Groups of custom kinds have a router of their own, with its own messages.
  if (served === undefined) {
    return isCustom(group) ? plainNotFound : { ...json(pageNotFound().status), status: 404 };
  }
  return jsonText(snapshot.text(`${groupName}/${version}`, () => resourceList(groupName, served)));
}

function isCustom({ versions }: ServedGroup): boolean {
  return versions.every(({ resources }) => resources.every((resource) => resource.isCustom));
}

function openApiResponse(
  snapshot: Snapshot,
  [, version, ...rest]: readonly string[],
  headers: Readonly<Record<string, string>>,
  query: URLSearchParams,
): DiscoveryResponse | undefined {
  if (version === "v2") return rest.length === 0 ? wholeDocumentResponse(snapshot, headers) : plainNotFound;
  if (version !== "v3") return undefined;
  if (rest.length === 0) {
    const body = snapshot.text("openapi", () => openApiIndex(snapshot.documents));
    return { status: 200, headers: { ...uncached, "content-type": "text/plain; charset=utf-8" }, body };
  }
  const path = rest.join("/");
  const document = snapshot.documents.get(path);
  if (document === undefined) return { status: 404, headers: uncached, body: "" };
  return documentResponse(path, document, headers, query.get("hash"));
}

/** OpenAPI v2, which has everything in one document. */
function wholeDocumentResponse(
  snapshot: Snapshot,
  headers: Readonly<Record<string, string>>,
): DiscoveryResponse {
  const type = chooseOpenApiV2Type(headers.accept);
  if (type === undefined) return { status: 406, headers: { vary: "Accept" }, body: "" };
  const document = snapshot.wholeDocument;
  const etag = `"${document.hash}"`;
  const shared = { ...uncached, etag, vary: "Accept" };
  if (headers["if-none-match"] === etag) return { status: 304, headers: shared, body: "" };
  const isJson = type === "json";
  return {
    status: 200,
    headers: { ...shared, "content-type": isJson ? "application/json" : openApiV2Protobuf },
    body: isJson ? document.text : document.bytes(),
  };
}

/** With the right hash the response can be cached for ever; with a wrong hash the client is redirected. */
function documentResponse(
  path: string,
  document: OpenApiDocument,
  headers: Readonly<Record<string, string>>,
  hash: string | null,
): DiscoveryResponse {
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

const plainNotFound: DiscoveryResponse = {
  status: 404,
  headers: { ...uncached, "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body: "404 page not found\n",
};

function json(document: object, headers: Readonly<Record<string, string>> = {}): DiscoveryResponse {
  return jsonText(JSON.stringify(document), headers);
}

function jsonText(body: string, headers: Readonly<Record<string, string>> = {}): DiscoveryResponse {
  return { status: 200, headers: { ...uncached, "content-type": "application/json", ...headers }, body };
}

/** The first accepted media type that is served; undefined if there is none. */
function chooseType(accept: string | undefined): "aggregated" | "json" | undefined {
  const types = (accept ?? "*/*").split(",").map((type) => type.trim().replaceAll(" ", ""));
  for (const type of types) {
    if (withoutQuality(type) === aggregatedType) return "aggregated";
    if (["application/json", "application/*", "*/*", ""].includes(withoutQuality(type))) return "json";
  }
  return undefined;
}

/** The format of OpenAPI v2 that a client accepts. */
function chooseOpenApiV2Type(accept: string | undefined): "json" | "protobuf" | undefined {
  const clauses = parseAccept(accept === undefined || accept === "" ? "*/*" : accept);
  for (const { type } of clauses) {
    if (["application/json", "application/*", "*/*"].includes(type)) return "json";
    if (type === openApiV2Protobuf || type === oldOpenApiV2Protobuf) return "protobuf";
  }
  return undefined;
}

const openApiV2Protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** The name that kubectl sends, which is not a valid media type. */
const oldOpenApiV2Protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

function withoutQuality(type: string): string {
  return type.replace(/;q=[\d.]+/, "").replace(/;charset=utf-8/i, "");
}
