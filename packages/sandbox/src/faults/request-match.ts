/** A request as faults match it. */
export interface MatchedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Selects requests: those that have every given field, or those for which the function returns true. */
export type RequestMatch<Request extends MatchedRequest = MatchedRequest> =
  | RequestPattern
  | ((request: Request) => boolean);

export interface RequestPattern {
  readonly method?: string;
  /** A string must be the whole path, without the query. */
  readonly path?: string | RegExp;
  /** By name; undefined for a parameter that must be absent. */
  readonly query?: Readonly<Record<string, string | RegExp | undefined>>;
  /** Watches only, or all requests except watches. */
  readonly watch?: boolean;
}

/** Separates the path of a request from its query. */
export function matchedRequest({
  method,
  path,
  headers,
}: Pick<MatchedRequest, "method" | "path" | "headers">): MatchedRequest {
  const mark = path.indexOf("?");
  const bare = mark === -1 ? path : path.slice(0, mark);
  const query = Object.fromEntries(new URLSearchParams(mark === -1 ? "" : path.slice(mark + 1)));
  return { method, path: bare, query, headers };
}

export function matchesRequest<Request extends MatchedRequest>(
  match: RequestMatch<Request>,
  request: Request,
): boolean {
  if (typeof match === "function") return match(request);
  const { method, path, query = {}, watch } = match;
  return (
    (method === undefined || method === request.method) &&
    (path === undefined || matchesText(path, request.path)) &&
    (watch === undefined || watch === isWatch(request)) &&
    Object.entries(query).every(([name, expected]) => matchesText(expected, request.query[name]))
  );
}

export function isWatch({ method, query }: MatchedRequest): boolean {
  return method === "GET" && (query.watch === "true" || query.watch === "1");
}

function matchesText(expected: string | RegExp | undefined, text: string | undefined): boolean {
  // Unlike `test`, `search` does not depend on where a global pattern matched last.
  return expected instanceof RegExp ? text !== undefined && text.search(expected) !== -1 : text === expected;
}
