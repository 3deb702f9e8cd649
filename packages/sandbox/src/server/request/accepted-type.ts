import { notAcceptable } from "../../status/request-errors.ts";

/** The representation of a response. */
export interface AcceptedType {
  readonly format: "json" | "yaml";
  readonly isPretty: boolean;
  /** Undefined: the object as it is. */
  readonly as?: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
  /** The version of `meta.k8s.io` for the kind in `as`. */
  readonly metaVersion: string;
}

/** The types that the real server lists; clients that accept Protocol Buffers accept JSON as well. */
const namedTypes = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const watchTypes = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

interface AcceptRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly isWatch: boolean;
  /** Whether the request is a list or a watch. */
  readonly isCollection: boolean;
  /** Only the router of built-in kinds refuses unknown types before the handler does. */
  readonly isCustom: boolean;
  /** Whether the response can be a Table or metadata only. */
  readonly canTransform: boolean;
}

const plain: AcceptedType = { format: "json", isPretty: false, metaVersion: "v1" };

/** The representation that the client accepts. Throws ApiError if the server has none of them. */
export function acceptedType(request: AcceptRequest): AcceptedType {
  const { headers, query, isWatch, isCollection, isCustom, canTransform } = request;
  const accept = headers.accept ?? "";
  const isPretty = !isWatch && wantsPretty(query, headers["user-agent"] ?? "");
  if (accept === "" || accept === "*/*" || accept === "application/json") {
    return isPretty ? { ...plain, isPretty } : plain;
  }
  const clauses = parseAccept(accept);
  if (!isCustom && !clauses.some(({ type }) => routedTypes.has(type))) {
    const available = isCollection ? `${namedTypes}, ${watchTypes}` : namedTypes;
    throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${available}`, {});
  }
  for (const clause of clauses) {
    const format = formatOf(clause.type);
    if (format === undefined) continue;
    const taken = takeClause(clause, format, isPretty, canTransform);
    if (taken === undefined) continue;
    if (isWatch && format === "yaml") break;
    return taken;
  }
  throw notAcceptable(`only the following media types are accepted: ${isWatch ? watchTypes : namedTypes}`);
}

const routedTypes: ReadonlySet<string> = new Set([
  "*/*",
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
]);

function formatOf(type: string): "json" | "yaml" | undefined {
  if (type === "application/yaml") return "yaml";
  return type === "application/json" || type === "application/*" || type === "*/*" ? "json" : undefined;
}

interface Clause {
  readonly type: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

function takeClause(
  { parameters }: Clause,
  format: "json" | "yaml",
  isPretty: boolean,
  canTransform: boolean,
): AcceptedType | undefined {
  const as = parameters.get("as");
  const pretty = isPretty || parameters.get("pretty") === "1";
  if (as === undefined) return { format, isPretty: pretty, metaVersion: "v1" };
  const metaVersion = parameters.get("v") ?? "";
  const isMeta = parameters.get("g") === "meta.k8s.io" && (metaVersion === "v1" || metaVersion === "v1beta1");
  if (!isMeta || !canTransform || format === "yaml") return undefined;
  if (as !== "Table" && as !== "PartialObjectMetadata" && as !== "PartialObjectMetadataList")
    return undefined;
  return { format, isPretty: pretty, as, metaVersion };
}

/** The clauses of an Accept header by quality, clauses of one quality in their order. */
export function parseAccept(header: string): readonly Clause[] {
  const clauses = header.split(",").map((text): Clause => {
    const [type = "", ...rest] = text.split(";").map((part) => part.trim());
    const parameters = new Map(
      rest.map((part): [string, string] => {
        const equals = part.indexOf("=");
        return equals === -1 ? [part, ""] : [part.slice(0, equals).trim(), part.slice(equals + 1).trim()];
      }),
    );
    const quality = Number(parameters.get("q") ?? "1");
    return { type, quality: Number.isNaN(quality) ? 1 : quality, parameters };
  });
  return clauses.filter(({ type }) => type !== "").sort((one, other) => other.quality - one.quality);
}

const truths: ReadonlySet<string> = new Set(["1", "t", "T", "true", "TRUE", "True"]);

/** Whether a response is indented for people. */
export function wantsPretty(query: URLSearchParams, userAgent: string): boolean {
  const requested = query.get("pretty") ?? "";
  return requested === "" ? /^(?:curl|Wget|Mozilla\/5\.0)/.test(userAgent) : truths.has(requested);
}

/**
 * The representation of an error: the first accepted type that a Status can have, which is not a Table. Without such a
 * type it is indented JSON.
 */
export function errorType(
  headers: Readonly<Record<string, string>>,
  query: URLSearchParams,
): Pick<AcceptedType, "format" | "isPretty"> {
  const isPretty = wantsPretty(query, headers["user-agent"] ?? "");
  const accept = headers.accept ?? "";
  if (accept === "") return { format: "json", isPretty };
  for (const { type, parameters } of parseAccept(accept)) {
    const format = formatOf(type);
    if (format === undefined || ["as", "g", "v"].some((name) => parameters.has(name))) continue;
    return { format, isPretty: isPretty || parameters.get("pretty") === "1" };
  }
  return { format: "json", isPretty: true };
}
