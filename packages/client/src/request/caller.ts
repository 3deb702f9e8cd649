import {
  type Clock,
  identityOf,
  isRecord,
  KeelsonError,
  type Kind,
  type KubeObject,
  type ObjectKey,
  parseJson,
  type Resource,
  type Stored,
  type Transport,
  type TransportResponse,
  toError,
} from "@keelson/core";
import type { CallOptions } from "../client.ts";
import { ConnectionError, InvalidCallError, MalformedResponseError, RequestTimeoutError } from "../errors.ts";
import { type ApiCall, applyBody, describeCall } from "./api-call.ts";
import { startDeadline } from "./cancellation.ts";
import { type PreparedRequest, toRequest } from "./prepared-request.ts";
import {
  asObject,
  errorFromResponse,
  isErrorResponse,
  type OnServerWarning,
  readText,
  warningsIn,
} from "./response.ts";

/** A GET of something that is not a resource, such as `/version`. */
export interface RawCall extends CallOptions {
  readonly path: string;
  readonly accept?: string;
}

/** Makes calls: with a JSON response, with a response that is read as it arrives, or of a bare path. */
export interface Caller {
  json(call: ApiCall): Promise<unknown>;
  stream(call: ApiCall): AsyncIterable<Uint8Array>;
  raw(call: RawCall): Promise<unknown>;
}

export interface CallerOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly timeoutMs: number;
  readonly onWarning: OnServerWarning;
}

/** See ApiCall. */
interface Check {
  readonly checkBeforeSend?: (() => void) | undefined;
}

interface Sending extends Check {
  readonly isStream: boolean;
  readonly signal: AbortSignal;
}

/** The caller at the bottom: turns calls into requests and refusals into errors. */
export function transportCaller(options: CallerOptions): Caller {
  return {
    json: async (call) => exchangeJson(options, describeCall(call), toRequest(call), call),
    stream: (call) => callForStream(options, call),
    raw: async (call) => exchangeJson(options, `get ${call.path}`, rawRequest(call), call),
  };
}

function rawRequest({ path, accept = "application/json" }: RawCall): PreparedRequest {
  if (!path.startsWith("/")) throw new InvalidCallError(`get ${path}`, "a path begins with a slash");
  return { method: "GET", path, accept };
}

async function exchangeJson(
  options: CallerOptions,
  operation: string,
  request: PreparedRequest,
  { signal, timeoutMs = options.timeoutMs, checkBeforeSend }: CallOptions & Check,
): Promise<unknown> {
  using deadline = startDeadline(options.clock, timeoutMs, signal);
  try {
    const isStream = false;
    const response = await send(options, operation, request, {
      isStream,
      signal: deadline.signal,
      checkBeforeSend,
    });
    const text = await readText(response.body);
    if (isErrorResponse(response)) throw errorFromResponse(operation, request, response, text);
    return parse(operation, text);
  } catch (error) {
    if (deadline.isOver) throw new RequestTimeoutError(operation, { timeoutMs, cause: error });
    throw explain(operation, error, signal);
  }
}

async function* callForStream(options: CallerOptions, call: ApiCall): AsyncIterable<Uint8Array> {
  const operation = describeCall(call);
  const request = toRequest(call);
  try {
    const { body } = await beginStream(options, operation, request, call);
    yield* body;
  } catch (error) {
    throw explain(operation, error, call.signal);
  }
}

/** The time limit is for the begin of the response. How long a stream may then be silent is up to its reader. */
async function beginStream(
  options: CallerOptions,
  operation: string,
  request: PreparedRequest,
  { signal, timeoutMs = options.timeoutMs, checkBeforeSend }: CallOptions & Check,
): Promise<TransportResponse> {
  const giveUp = new AbortController();
  const cancelTimer = options.clock.schedule(timeoutMs, () => giveUp.abort(new Error("deadline")));
  try {
    const signals = signal === undefined ? [giveUp.signal] : [giveUp.signal, signal];
    const isStream = true;
    const settings = { isStream, signal: AbortSignal.any(signals), checkBeforeSend };
    const response = await send(options, operation, request, settings);
    if (!isErrorResponse(response)) return response;
    throw errorFromResponse(operation, request, response, await readText(response.body));
  } catch (error) {
    if (giveUp.signal.aborted) throw new RequestTimeoutError(operation, { timeoutMs, cause: error });
    throw error;
  } finally {
    cancelTimer();
  }
}

async function send(
  { transport, userAgent, onWarning }: CallerOptions,
  operation: string,
  { method, path, accept, body }: PreparedRequest,
  { isStream, signal, checkBeforeSend }: Sending,
): Promise<TransportResponse> {
  signal.throwIfAborted();
  const headers = {
    accept,
    "user-agent": userAgent,
    ...(body !== undefined && { "content-type": body.contentType }),
  };
  const response = await transport.send({
    method,
    path,
    headers,
    ...(body !== undefined && { body: body.text }),
    isStream,
    signal,
    ...(checkBeforeSend !== undefined && { checkBeforeSend }),
  });
  for (const warning of warningsIn(response.headers.warning)) notify(() => onWarning(warning, operation));
  return response;
}

/** The call succeeded: a hook that throws must not make it fail. */
function notify(hook: () => void): void {
  try {
    hook();
  } catch {
    // The hook is the only receiver of errors here.
  }
}

function parse(operation: string, text: string): unknown {
  try {
    const value: unknown = parseJson(text);
    if (isRecord(value)) return value;
  } catch (error) {
    throw new MalformedResponseError(operation, { problem: "the response is not JSON", cause: error });
  }
  throw new MalformedResponseError(operation, { problem: "the response is not an object" });
}

/** Errors of ours and mistakes of ours pass; an abort is the caller's own reason; all else is a failed connection. */
function explain(operation: string, error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  const isOurs = error instanceof KeelsonError || error instanceof TypeError;
  return isOurs ? error : new ConnectionError(operation, toError(error));
}

type CallShape = Pick<ApiCall, "verb" | "subresource" | "body"> & { readonly query?: ApiCall["query"] };

/** Where a call goes: the place of an object, or a collection. */
type Target = Partial<ObjectKey>;

/** Fills in what every call has. */
export function makeCall(
  resource: Resource,
  target: Target,
  shape: CallShape,
  options: CallOptions,
): ApiCall {
  return {
    query: {},
    ...shape,
    resource,
    ...(target.namespace !== undefined && { namespace: target.namespace }),
    ...(target.name !== undefined && { name: target.name }),
    ...(options.signal !== undefined && { signal: options.signal }),
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    isStream: false,
  };
}

/** Makes a call whose response is an object of the kind. */
export async function callForObject<T extends KubeObject>(
  caller: Caller,
  as: Kind<T>,
  call: ApiCall,
): Promise<Stored<T>> {
  return asObject(describeCall(call), as, await caller.json(call));
}

/** A JSON body with the object's own kind, whatever the argument said or left out; the argument stays as it is. */
export function jsonBody(kind: Kind, object: object): NonNullable<ApiCall["body"]> {
  return { contentType: "application/json", value: { ...object, ...identityOf(kind) } };
}

/** The body of an apply, with the object's own kind. */
export function applyConfigurationBody(kind: Kind, configuration: object): NonNullable<ApiCall["body"]> {
  return applyBody({ ...configuration, ...identityOf(kind) });
}

/** The place that an object names for itself. */
export function keyOfObject(object: {
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}): Target {
  const { name, namespace } = object.metadata;
  return { ...(name !== undefined && { name }), ...(namespace !== undefined && { namespace }) };
}
