import type { ServiceRequest } from "@keelson/core";

/** Which requests are meant: those for which every given field is as stated, or the function is true. */
export type RequestMatch = RequestPattern | ((request: SeenRequest) => boolean);

export interface RequestPattern {
  readonly method?: string;
  /** A string must be the whole path, without the query. */
  readonly path?: string | RegExp;
  /** Watches only, or anything but watches. */
  readonly watch?: boolean;
  /** By name; undefined for a parameter that must be absent. */
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/** A request as faults see it. */
export interface SeenRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
}

export function seenRequest({ method, path, headers }: ServiceRequest): SeenRequest {
  const mark = path.indexOf("?");
  const bare = mark === -1 ? path : path.slice(0, mark);
  return { method, path: bare, query: new URLSearchParams(mark === -1 ? "" : path.slice(mark + 1)), headers };
}

export function matchesRequest(match: RequestMatch, request: SeenRequest): boolean {
  if (typeof match === "function") return match(request);
  const { method, path, watch, query = {} } = match;
  return (
    (method === undefined || method === request.method) &&
    (path === undefined || matchesPath(path, request.path)) &&
    (watch === undefined || watch === isWatch(request)) &&
    Object.entries(query).every(([name, value]) => request.query.get(name) === (value ?? null))
  );
}

export function isWatch({ method, query }: SeenRequest): boolean {
  return method === "GET" && (query.get("watch") === "true" || query.get("watch") === "1");
}

function matchesPath(wanted: string | RegExp, path: string): boolean {
  // Unlike `test`, `search` is not thrown off by where a global pattern matched last.
  return wanted instanceof RegExp ? path.search(wanted) !== -1 : path === wanted;
}
