import type { TransportRequest } from "@keelson/core";

/** A request that went through the transport. */
export interface RecordedRequest {
  readonly method: TransportRequest["method"];
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isStream: boolean;
}

/** Which requests: those for which the function is true, or for which every given field is as stated. */
export type RequestMatch = RequestPattern | ((request: RecordedRequest) => boolean);

export interface RequestPattern {
  readonly method?: TransportRequest["method"];
  /** A string must be the whole path, without the query. */
  readonly path?: string | RegExp;
  /** By name; undefined for a parameter that must be absent. */
  readonly query?: Readonly<Record<string, string | RegExp | undefined>>;
  /** Watches only, or anything but watches. */
  readonly watch?: boolean;
}

export function recordedRequest({
  method,
  path,
  headers,
  body,
  isStream,
}: TransportRequest): RecordedRequest {
  const [bare = "", ...query] = path.split("?");
  return {
    method,
    path: bare,
    query: Object.fromEntries(new URLSearchParams(query.join("?"))),
    headers,
    ...(body !== undefined && { body }),
    isStream,
  };
}

export function matchesRequest(match: RequestMatch, request: RecordedRequest): boolean {
  if (typeof match === "function") return match(request);
  const { method, path, query = {}, watch } = match;
  return (
    (method === undefined || method === request.method) &&
    (path === undefined || matchesText(path, request.path)) &&
    (watch === undefined || watch === isWatch(request)) &&
    Object.entries(query).every(([name, wanted]) => matchesText(wanted, request.query[name]))
  );
}

function isWatch({ method, query }: RecordedRequest): boolean {
  return method === "GET" && (query.watch === "true" || query.watch === "1");
}

function matchesText(wanted: string | RegExp | undefined, text: string | undefined): boolean {
  // Unlike `test`, `search` is not thrown off by where a global pattern matched last.
  return wanted instanceof RegExp ? text !== undefined && text.search(wanted) !== -1 : text === wanted;
}
