import {
  type Clock,
  DropConnectionError,
  type HttpService,
  type Random,
  type ServiceRequest,
  type ServiceResponse,
} from "@keelson/core";
import type { Authenticate, Authorize, RulesOfUser } from "./auth/access.ts";
import type { AuthenticateToken, TokenProblem } from "./auth/authenticator.ts";
import type { IssueToken } from "./auth/service-account-tokens.ts";
import type { DiscoveryService } from "./discovery/discovery-service.ts";
import { newUid } from "./resource/new-uid.ts";
import type { ResourceRegistry } from "./resource/resource-registry.ts";
import { healthAnswer } from "./server/health.ts";
import { EventLines } from "./server/read/event-lines.ts";
import { errorType } from "./server/request/accepted-type.ts";
import { accessOf, checkAccess } from "./server/request/access.ts";
import { effectiveUser } from "./server/request/impersonation.ts";
import { parseQuery } from "./server/request/query.ts";
import { parseRequestPath, type RequestPath } from "./server/request/request-path.ts";
import { routeOf } from "./server/request/route.ts";
import { answerResource } from "./server/request-handler.ts";
import {
  type Answer,
  statusAnswer,
  textAnswer,
  unexpectedError,
  warningHeader,
} from "./server/response/response.ts";
import type { ServerTools } from "./server/server-dependencies.ts";
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
  readonly issueToken: IssueToken;
  readonly authenticateToken: AuthenticateToken;
  readonly tokenProblem: TokenProblem;
  readonly rulesOf: RulesOfUser;
  readonly discovery: DiscoveryService;
  readonly clock: Clock;
  readonly random: Random;
  /** Which revision reads that allow old data show instead of the present. Default: the present. */
  readonly staleRevision?: () => number | undefined;
  /** How many events wait for a slow watcher before its watch is ended. Default: 20,000. */
  readonly watchBufferLimit?: number;
  /** Told of errors that nobody foresaw; the client gets only the id. Default: nobody is. */
  readonly onUnexpectedError?: (error: unknown, id: string) => void;
}

/** The API server as a function: whatever comes in, a response goes out. */
export function createApiServer(dependencies: ApiServerDependencies): HttpService {
  const { random } = dependencies;
  const tools = toolsOf(dependencies);
  return async (request) => {
    const warnings: string[] = [];
    const id = newUid(random);
    const answer = await safeAnswer(dependencies, tools, request, id, (text) => {
      if (!warnings.includes(text)) warnings.push(text);
    });
    return {
      status: answer.status,
      headers: {
        "audit-id": id,
        "cache-control": "no-cache, private",
        "x-kubernetes-pf-flowschema-uid": flowSchemaId,
        "x-kubernetes-pf-prioritylevel-uid": priorityLevelId,
        ...answer.headers,
        ...(warnings.length > 0 && { warning: warningHeader(warnings) }),
      },
      ...(request.method !== "HEAD" && { body: answer.body }),
    };
  };
}

/** There is no flow control; all requests are of one flow. */
const flowSchemaId = "00000000-0000-4000-8000-000000000001";
const priorityLevelId = "00000000-0000-4000-8000-000000000002";

function toolsOf(dependencies: ApiServerDependencies): ServerTools {
  const { store, registry, writer, clock, random, authorize } = dependencies;
  const { issueToken, authenticateToken, tokenProblem, rulesOf, staleRevision, watchBufferLimit } =
    dependencies;
  return {
    registry,
    writer,
    clock,
    authorize,
    issueToken,
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

async function safeAnswer(
  dependencies: ApiServerDependencies,
  tools: ServerTools,
  request: ServiceRequest,
  id: string,
  warn: (text: string) => void,
): Promise<Answer> {
  try {
    return await answerRequest(dependencies, tools, request, warn);
  } catch (error) {
    if (error instanceof ApiError) return statusAnswer(error, errorType(request.headers, queryOf(request)));
    // Nobody waits for an answer any more, or nobody is to get one.
    if (request.signal.aborted || error instanceof DropConnectionError) throw error;
    dependencies.onUnexpectedError?.(error, id);
    return statusAnswer(unexpectedError(id));
  }
}

async function answerRequest(
  dependencies: ApiServerDependencies,
  tools: ServerTools,
  request: ServiceRequest,
  warn: (text: string) => void,
): Promise<Answer> {
  const { authenticate, authorize, registry } = dependencies;
  const query = queryOf(request);
  const [path = ""] = request.path.split("?", 1);
  const parsed = parseRequestPath(request.method, path, query);
  if (parsed === undefined) return textAnswer("400 Bad Request", 400);
  const sender = authenticate(request);
  if (sender === undefined) throw unauthorized();
  const access = accessOf(parsed);
  const user = effectiveUser(authorize, sender, request, access);
  checkAccess(authorize, user, access);
  const route = routeOf(registry, parsed);
  if (route !== undefined) {
    if (request.method === "HEAD") throw methodRefused();
    return answerResource(tools, { route, query, user, service: request, warn });
  }
  return otherAnswer(dependencies, request, parsed, query) ?? textAnswer("404 page not found\n", 404);
}

function queryOf({ path }: ServiceRequest): URLSearchParams {
  const mark = path.indexOf("?");
  return parseQuery(mark === -1 ? "" : path.slice(mark + 1));
}

/** Paths that name no objects. */
function otherAnswer(
  { discovery, store }: ApiServerDependencies,
  { method, headers }: ServiceRequest,
  { path, target }: RequestPath,
  query: URLSearchParams,
): Answer | undefined {
  const health = healthAnswer(path, query, store);
  if (health !== undefined) return health;
  if (path === "/" && method === "GET") return rootAnswer();
  if (target !== undefined || path.startsWith("//")) return undefined;
  const found: ServiceResponse | undefined = discovery(path, headers, query);
  if (found === undefined) return undefined;
  if (method !== "GET" && method !== "HEAD" && found.status < 400) throw methodRefused();
  return { status: found.status, headers: found.headers ?? {}, body: found.body ?? "" };
}

function rootAnswer(): Answer {
  const paths = [
    "/api",
    "/apis",
    "/healthz",
    "/livez",
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    "/readyz",
    "/version",
  ];
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ paths }) };
}
