import {
  type Clock,
  DropConnectionError,
  type HttpService,
  type Random,
  randomUuid,
  type ServiceRequest,
  type ServiceResponse,
} from "@keelson/core";
import type { Authenticate, Authorize, RulesOfUser } from "./auth/access.ts";
import type { AuthenticateToken, TokenProblem } from "./auth/authenticator.ts";
import type { ServiceAccountTokens } from "./auth/service-account-tokens.ts";
import type { DiscoveryService } from "./discovery/discovery-service.ts";
import type { ResourceRegistry } from "./resource/resource-registry.ts";
import { healthResponse } from "./server/health.ts";
import { openIdPaths, openIdResponse } from "./server/openid.ts";
import { EventLines } from "./server/read/event-lines.ts";
import { errorType } from "./server/request/accepted-type.ts";
import { accessOf, checkAccess } from "./server/request/access.ts";
import { effectiveUser } from "./server/request/impersonation.ts";
import { parseQuery } from "./server/request/query.ts";
import { parseRequestPath, type RequestPath } from "./server/request/request-path.ts";
import { routeOf } from "./server/request/route.ts";
import { handleResource } from "./server/request-handler.ts";
import { acceptsOnlyProtobuf, protobufResponse } from "./server/response/protobuf-response.ts";
import {
  type ApiResponse,
  statusResponse,
  textResponse,
  unexpectedError,
  warningHeaders,
} from "./server/response/response.ts";
import type { ServerDependencies } from "./server/server-dependencies.ts";
import type { ObjectWriter } from "./server/write/object-writer.ts";
import { ApiError, unauthorized } from "./status/api-error.ts";
import { methodRefused } from "./status/request-errors.ts";
import type { Store } from "./store/store.ts";

export interface ApiServerDependencies {
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly writer: ObjectWriter;
  readonly authenticate: Authenticate;
  readonly authorize: Authorize;
  readonly serviceAccountTokens: Pick<ServiceAccountTokens, "issue" | "issuer" | "publicKey">;
  readonly hasControllers: boolean;
  readonly authenticateToken: AuthenticateToken;
  readonly tokenProblem: TokenProblem;
  readonly rulesOf: RulesOfUser;
  readonly discovery: DiscoveryService;
  readonly clock: Clock;
  readonly random: Random;
  /** The revision that reads which allow old data return. Default: the current one. */
  readonly staleRevision?: () => number | undefined;
  /** How many events are buffered for a slow watcher before its watch ends. Default: 20,000. */
  readonly watchBufferLimit?: number;
  /** Receives unexpected errors; the response contains only the id. Default: they are dropped. */
  readonly onUnexpectedError?: (error: unknown, id: string) => void;
}

/**
 * The API server as a function from request to response. The life of a request:
 *
 * 1. `server/request`: parse path and query, authenticate, impersonate, authorize, find the route.
 * 2. `server/request-handler.ts`: negotiate the media type and call the handler of the verb.
 * 3. `server/body`, `server/options`: decode the body and read the options of the request.
 * 4. `server/read` serves get, list and watch from the store; `server/write` changes it: defaults, managed fields,
 *    mutating admission, strategy, validation, validating admission, store; `server/subresources` does what a
 *    subresource means.
 * 5. `server/response`: encode the result as JSON, YAML or a Table.
 *
 * A step that refuses the request throws ApiError, which becomes a Status. Paths that name no resource are served by
 * `server/health.ts` and `discovery`.
 */
export function createApiServer(dependencies: ApiServerDependencies): HttpService {
  const { random } = dependencies;
  const ofHandlers = handlerDependencies(dependencies);
  return async (request) => {
    const warnings: string[] = [];
    const id = randomUuid(random);
    const response = await respondAccepted(dependencies, ofHandlers, request, id, (text) => {
      if (!warnings.includes(text)) warnings.push(text);
    });
    return {
      status: response.status,
      headers: {
        "audit-id": id,
        "cache-control": "no-cache, private",
        "x-kubernetes-pf-flowschema-uid": flowSchemaId,
        "x-kubernetes-pf-prioritylevel-uid": priorityLevelId,
        ...response.headers,
        ...(warnings.length > 0 && { warning: warningHeaders(warnings) }),
      },
      ...(request.method !== "HEAD" && { body: response.body }),
    };
  };
}

/** There is no flow control: all requests have one flow schema and one priority level. */
const flowSchemaId = "00000000-0000-4000-8000-000000000001";
const priorityLevelId = "00000000-0000-4000-8000-000000000002";

function handlerDependencies(dependencies: ApiServerDependencies): ServerDependencies {
  const { store, registry, writer, clock, random, authorize } = dependencies;
  const { serviceAccountTokens, hasControllers, authenticateToken, tokenProblem, rulesOf } = dependencies;
  const { staleRevision, watchBufferLimit } = dependencies;
  return {
    registry,
    writer,
    clock,
    authorize,
    issueToken: serviceAccountTokens.issue,
    hasControllers,
    authenticateToken,
    tokenProblem,
    rulesOf,
    reads: {
      store,
      registry,
      clock,
      random,
      lines: new EventLines(),
      ...(staleRevision !== undefined && { staleRevision }),
      ...(watchBufferLimit !== undefined && { watchBufferLimit }),
    },
  };
}

/** The response in the accepted encoding. Only built-in kinds have messages. */
async function respondAccepted(
  dependencies: ApiServerDependencies,
  ofHandlers: ServerDependencies,
  request: ServiceRequest,
  id: string,
  warn: (text: string) => void,
): Promise<ApiResponse> {
  const { headers, method, path } = request;
  if (!acceptsOnlyProtobuf(headers)) return respond(dependencies, ofHandlers, request, id, warn);
  const parsed = parseRequestPath(method, path.split("?", 1)[0] ?? "", queryOf(request));
  const { group = "", version = "", resource = "" } = parsed?.target ?? {};
  const isBuiltin = dependencies.registry.find(group, version, resource)?.isCustom === false;
  if (!isBuiltin) return respond(dependencies, ofHandlers, request, id, warn);
  const asJson = { ...request, headers: { ...headers, accept: "application/json" } };
  const response = await respond(dependencies, ofHandlers, asJson, id, warn);
  return protobufResponse(response, parsed?.verb === "watch");
}

/** The response to a request, a Status if the request is refused or fails. */
async function respond(
  dependencies: ApiServerDependencies,
  ofHandlers: ServerDependencies,
  request: ServiceRequest,
  id: string,
  warn: (text: string) => void,
): Promise<ApiResponse> {
  try {
    return await handle(dependencies, ofHandlers, request, warn);
  } catch (error) {
    if (error instanceof ApiError) return statusResponse(error, errorType(request.headers, queryOf(request)));
    // The client no longer waits for a response, or a fault withholds it.
    if (request.signal.aborted || error instanceof DropConnectionError) throw error;
    dependencies.onUnexpectedError?.(error, id);
    return statusResponse(unexpectedError(id));
  }
}

async function handle(
  dependencies: ApiServerDependencies,
  ofHandlers: ServerDependencies,
  request: ServiceRequest,
  warn: (text: string) => void,
): Promise<ApiResponse> {
  const { authenticate, authorize, registry } = dependencies;
  const query = queryOf(request);
  const [path = ""] = request.path.split("?", 1);
  const parsed = parseRequestPath(request.method, path, query);
  if (parsed === undefined) return textResponse("400 Bad Request", 400);
  const authenticated = authenticate(request);
  if (authenticated === undefined) throw unauthorized();
  const access = accessOf(parsed);
  const user = effectiveUser(authorize, authenticated, request, access);
  checkAccess(authorize, user, access);
  const route = routeOf(registry, parsed);
  if (route !== undefined) {
    if (request.method === "HEAD") throw methodRefused();
    return handleResource(ofHandlers, { route, query, user, service: request, warn });
  }
  return handleNonResource(dependencies, request, parsed, query) ?? textResponse("404 page not found\n", 404);
}

function queryOf({ path }: ServiceRequest): URLSearchParams {
  const mark = path.indexOf("?");
  return parseQuery(mark === -1 ? "" : path.slice(mark + 1));
}

function handleNonResource(
  { discovery, store, serviceAccountTokens }: ApiServerDependencies,
  { method, headers }: ServiceRequest,
  { path, target }: RequestPath,
  query: URLSearchParams,
): ApiResponse | undefined {
  const health = healthResponse(path, query, store);
  if (health !== undefined) return health;
  const openId = openIdResponse(path, headers, serviceAccountTokens);
  if (openId !== undefined) return openId;
  if (path === "/" && method === "GET") return rootResponse();
  if (target !== undefined || path.startsWith("//")) return undefined;
  const found: ServiceResponse | undefined = discovery(path, headers, query);
  if (found === undefined) return undefined;
  if (method !== "GET" && method !== "HEAD" && found.status < 400) throw methodRefused();
  return { status: found.status, headers: found.headers ?? {}, body: found.body ?? "" };
}

function rootResponse(): ApiResponse {
  const [configuration = "", keys = ""] = openIdPaths;
  const paths = [
    configuration,
    "/api",
    "/apis",
    "/healthz",
    "/livez",
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    keys,
    "/readyz",
    "/version",
  ];
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ paths }) };
}
