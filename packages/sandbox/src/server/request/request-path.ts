import { ApiError } from "../../status/api-error.ts";
import { textOfBytes } from "../../status/go-quote.ts";
import { readFieldSelector } from "./field-selector.ts";
import { queryFlag } from "./query.ts";

/** A parsed path; whether the kind exists is not checked yet. */
export interface RequestPath {
  /** Decoded, without the query. */
  readonly path: string;
  /** The verb of authorization: `list`, `watch`, …; for a path without a resource the method. */
  readonly verb: string;
  /** Undefined for paths that name no resource, such as `/version`. */
  readonly target: PathTarget | undefined;
}

export interface PathTarget {
  readonly group: string;
  readonly version: string;
  /** Empty: none. For a Namespace its own name. */
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty: none. For a list with a field selector for one name, that name. */
  readonly name: string;
  /** The name in the path. */
  readonly pathName: string;
  /** The path after the subresource. */
  readonly rest: readonly string[];
  /** `/watch/` before the resource. */
  readonly isLegacyWatch: boolean;
  /** The values that the field selector of a list, a watch or a deletion of a collection requires, by field. */
  readonly selectedFields: Readonly<Record<string, string>>;
}

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Subresources of a Namespace; any other segment after its name is a resource in the namespace. */
const namespaceSubresources: ReadonlySet<string> = new Set(["status", "finalize"]);

/** Undefined if the path cannot be decoded. */
export function parseRequestPath(
  method: string,
  encodedPath: string,
  query: URLSearchParams,
): RequestPath | undefined {
  const path = decoded(encodedPath);
  if (path === undefined) return undefined;
  const nonResource: RequestPath = { path, verb: method.toLowerCase(), target: undefined };
  let parts = path.replace(/^\/+|\/+$/g, "").split("/");
  const [prefix] = parts;
  if (parts.length < 3 || path.startsWith("//") || (prefix !== "api" && prefix !== "apis"))
    return nonResource;
  if (prefix === "apis" && parts.length < 4) return nonResource;
  const group = prefix === "apis" ? (parts[1] ?? "") : "";
  const version = parts[prefix === "apis" ? 2 : 1] ?? "";
  parts = parts.slice(prefix === "apis" ? 3 : 2);
  const isLegacyWatch = parts[0] === "watch" && parts.length > 1;
  if (isLegacyWatch) parts = parts.slice(1);
  const namespace = parts[0] === "namespaces" ? (parts[1] ?? "") : "";
  if (parts[0] === "namespaces" && parts.length > 2 && !namespaceSubresources.has(parts[2] ?? "")) {
    parts = parts.slice(2);
  }
  const [resource = "", pathName = "", subresource = "", ...rest] = parts;
  const verb = isLegacyWatch ? "watch" : verbOf(method, pathName, query);
  const isCollection = verb === "list" || verb === "watch";
  const selectedFields = isCollection || verb === "deletecollection" ? selectedFieldsOf(query) : {};
  const name = pathName === "" && isCollection ? selectedName(selectedFields) : pathName;
  return {
    path,
    verb,
    target: {
      ...{ group, version, namespace, resource, subresource, name, pathName, rest, isLegacyWatch },
      selectedFields,
    },
  };
}

function verbOf(method: string, name: string, query: URLSearchParams): string {
  const verb = verbs[method] ?? "";
  if (name !== "") return verb;
  if (verb === "get") return queryFlag(query, "watch") === true ? "watch" : "list";
  return verb === "delete" ? "deletecollection" : verb;
}

/** Authorization treats a list with a field selector for one name as access to that object. */
function selectedName(selectedFields: Readonly<Record<string, string>>): string {
  const name = selectedFields["metadata.name"] ?? "";
  return segmentProblem(name) === undefined ? name : "";
}

function selectedFieldsOf(query: URLSearchParams): Readonly<Record<string, string>> {
  const selector = query.get("fieldSelector");
  if (selector === null || selector === "") return {};
  try {
    const required = readFieldSelector(selector).filter(({ operator }) => operator === "=");
    // Of several requirements for a field, the first counts.
    return Object.fromEntries(required.toReversed().map(({ field, value }) => [field, value]));
  } catch (error) {
    // The list reports what is wrong with the selector.
    if (error instanceof ApiError) return {};
    throw error;
  }
}

/** Why a name cannot be a path segment, as the server words it. */
export function segmentProblem(name: string): string | undefined {
  if (name === "." || name === "..") return `may not be '${name}'`;
  const found = ["/", "%"].find((character) => name.includes(character));
  return found === undefined ? undefined : `may not contain '${found}'`;
}

function decoded(path: string): string | undefined {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return hasBrokenEscape.test(path) ? undefined : textOfBytes(decodedBytes(path));
  }
}

const hasBrokenEscape = /%(?![0-9A-Fa-f]{2})/;

/** The decoded bytes of a path, which need not be valid UTF-8. */
function decodedBytes(path: string): Uint8Array {
  const parts = path.split(/(%[0-9A-Fa-f]{2})/);
  return Buffer.concat(
    parts.map((part, index) =>
      Buffer.from(index % 2 === 1 ? part.slice(1) : part, index % 2 === 1 ? "hex" : "utf8"),
    ),
  );
}
