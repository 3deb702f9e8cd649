import {
  type Clock,
  isRecord,
  isStatus,
  KeelsonError,
  type Status,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  toError,
} from "@keelson/core";
import type { CallOptions } from "../client.ts";
import { apiErrorFrom, ConnectionError, MalformedResponseError, RequestTimeoutError } from "../errors.ts";
import { type ApiCall, describeCall } from "./api-call.ts";
import { readText } from "./body.ts";
import { startDeadline } from "./deadline.ts";
import { pathOf } from "./path.ts";

/** A GET of something that is not a resource, such as `/version`. */
export interface RawCall extends CallOptions {
  readonly path: string;
  readonly accept?: string;
}

/** Carries out calls: one that is answered by JSON, one whose bytes are read as they come, one of a bare path. */
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
}

/** The caller at the bottom: turns calls into requests and refusals into errors. */
export function transportCaller(options: CallerOptions): Caller {
  return {
    json: async (call) => exchangeJson(options, describeCall(call), call, askFor(call)),
    stream: (call) => callForStream(options, call),
    raw: (call) =>
      exchangeJson(options, `get ${call.path}`, call, {
        method: "GET",
        path: call.path,
        accept: call.accept,
      }),
  };
}

/** One request as the transport is asked for it, without what all requests share. */
interface Ask {
  readonly method: TransportRequest["method"];
  readonly path: string;
  readonly accept: string | undefined;
  readonly body?: ApiCall["body"];
}

function askFor(call: ApiCall): Ask {
  const ask = { method: methodOf(call), path: pathOf(call), accept: call.accept ?? acceptOf(call) };
  return call.body === undefined ? ask : { ...ask, body: call.body };
}

async function exchangeJson(
  options: CallerOptions,
  operation: string,
  { signal, timeoutMs = options.timeoutMs }: CallOptions,
  ask: Ask,
): Promise<unknown> {
  using deadline = startDeadline(options.clock, timeoutMs, signal);
  const { status, text } = await exchange(options, ask, deadline.signal).catch((error: unknown) => {
    throw deadline.isOver ? new RequestTimeoutError(operation, timeoutMs) : explain(operation, error, signal);
  });
  if (status >= 400) throw apiErrorFrom(operation, statusOf(status, text));
  return parse(operation, text);
}

async function exchange(
  options: CallerOptions,
  ask: Ask,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  const { status, body } = await send(options, ask, false, signal);
  return { status, text: await readText(body) };
}

async function* callForStream(options: CallerOptions, call: ApiCall): AsyncIterable<Uint8Array> {
  const operation = describeCall(call);
  try {
    const { status, body } = await sendInTime(options, call);
    if (status >= 400) throw apiErrorFrom(operation, statusOf(status, await readText(body)));
    yield* body;
  } catch (error) {
    throw explain(operation, error, call.signal);
  }
}

/** The time limit is for the answer to begin. How long a stream may then be silent is for its reader to judge. */
async function sendInTime(options: CallerOptions, call: ApiCall): Promise<TransportResponse> {
  const timeoutMs = call.timeoutMs ?? options.timeoutMs;
  const giveUp = new AbortController();
  const cancelTimer = options.clock.schedule(timeoutMs, () => {
    giveUp.abort(new RequestTimeoutError(describeCall(call), timeoutMs));
  });
  const signals = call.signal === undefined ? [giveUp.signal] : [giveUp.signal, call.signal];
  try {
    return await send(options, askFor(call), true, AbortSignal.any(signals));
  } catch (error) {
    throw giveUp.signal.aborted ? giveUp.signal.reason : error;
  } finally {
    cancelTimer();
  }
}

function send(
  { transport, userAgent }: CallerOptions,
  { method, path, accept = "application/json", body }: Ask,
  isStream: boolean,
  signal: AbortSignal,
): Promise<TransportResponse> {
  signal.throwIfAborted();
  return transport.send({
    method,
    path,
    headers: {
      accept,
      "user-agent": userAgent,
      ...(body !== undefined && { "content-type": body.contentType }),
    },
    ...(body !== undefined && { body: JSON.stringify(body.value) }),
    isStream,
    signal,
  });
}

function methodOf({ verb }: ApiCall): "GET" | "POST" | "PUT" | "PATCH" | "DELETE" {
  switch (verb) {
    case "get":
    case "list":
    case "watch":
      return "GET";
    case "create":
      return "POST";
    case "update":
      return "PUT";
    case "patch":
      return "PATCH";
    case "delete":
    case "deletecollection":
      return "DELETE";
  }
}

function acceptOf({ resource, verb }: ApiCall): string {
  if (resource.isMetadataOnly !== true) return "application/json";
  const kind =
    verb === "list" || verb === "deletecollection" ? "PartialObjectMetadataList" : "PartialObjectMetadata";
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`;
}

function parse(operation: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch (error) {
    throw new MalformedResponseError(operation, { problem: "the answer is not JSON", cause: error });
  }
  throw new MalformedResponseError(operation, { problem: "the answer is not an object" });
}

/** What a refusal says; for one that does not come from an API server, such as a proxy's page, the code must do. */
function statusOf(code: number, text: string): Status {
  try {
    const value: unknown = JSON.parse(text);
    if (isStatus(value)) return { ...value, code: value.code ?? code };
  } catch {
    // Not JSON: the text itself is the best message there is.
  }
  return { apiVersion: "v1", kind: "Status", status: "Failure", code, message: text.trim().slice(0, 500) };
}

/** Errors of ours pass; an abort is the caller's own reason; all else is a connection that failed. */
function explain(operation: string, error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  return error instanceof KeelsonError ? error : new ConnectionError(operation, toError(error));
}
