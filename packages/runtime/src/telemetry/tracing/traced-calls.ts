import { type ApiCall, ApiError, type Caller, type RawCall } from "@keelson/client";
import { type Clock, errorCode, groupResourceOf, toError } from "@keelson/core";
import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { TrackedRead } from "../../cache/cached-client.ts";

/** What spans of calls are created with. */
export interface CallTracing {
  readonly tracer: Tracer;
  readonly clock: Clock;
  /** The parent of the spans; passed in, since the active context may be lost by the time of a call. */
  readonly parent: Context;
}

/** The name and the attributes of a span. */
interface CallFacts {
  /** Without the name of an object, so that there are few different names. */
  readonly name: string;
  readonly attributes: Attributes;
}

/** A layer that creates a span for each call to the API server. A read from the cache has none. */
export function tracedCalls(tracing: CallTracing, next: Caller): Caller {
  return {
    json: (call) =>
      call.verb === "get" || call.verb === "list"
        ? traceRead(tracing, call, next)
        : traceCall(tracing, factsOf(call), () => next.json(call)),
    stream: (call) => traceStream(tracing, factsOf(call), () => next.stream(call)),
    raw: (call) => traceCall(tracing, rawFacts(call), () => next.raw(call)),
  };
}

async function traceCall(
  { tracer, parent }: CallTracing,
  { name, attributes }: CallFacts,
  call: () => Promise<unknown>,
): Promise<unknown> {
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
  try {
    const response = await context.with(trace.setSpan(parent, span), call);
    span.setAttribute("status", "ok");
    return response;
  } catch (error) {
    failCall(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Whether a read went to the server is known only afterwards, so its span is created then. */
async function traceRead(
  { tracer, clock, parent }: CallTracing,
  call: ApiCall,
  next: Caller,
): Promise<unknown> {
  const { name, attributes } = factsOf(call);
  const startTime = clock.now();
  const read = new TrackedRead(call);
  const begin = (): Span => tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, startTime }, parent);
  try {
    const response = await context.with(parent, () => next.json(read.call));
    if (!read.isFromCache) begin().setAttribute("status", "ok").end(clock.now());
    return response;
  } catch (error) {
    const span = begin();
    failCall(span, error);
    span.end(clock.now());
    throw error;
  }
}

async function* traceStream(
  { tracer, parent }: CallTracing,
  { name, attributes }: CallFacts,
  open: () => AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
  try {
    yield* open();
    span.setAttribute("status", "ok");
  } catch (error) {
    failCall(span, error);
    throw error;
  } finally {
    span.end();
  }
}

function failCall(span: Span, thrown: unknown): void {
  const error = toError(thrown);
  span.setAttribute("status", error instanceof ApiError ? (error.status.code ?? "error") : "error");
  fail(span, error);
}

function factsOf({ verb, resource, subresource, namespace, name }: ApiCall): CallFacts {
  const what = groupResourceOf(resource);
  return {
    name: subresource === undefined ? `${verb} ${what}` : `${verb} ${what}/${subresource}`,
    attributes: {
      verb,
      resource: what,
      ...(subresource !== undefined && { subresource }),
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
    },
  };
}

function rawFacts({ path }: RawCall): CallFacts {
  // The query may contain anything.
  return { name: "get url", attributes: { verb: "get", path: path.replace(/\?.*$/, "") } };
}

/**
 * Marks a span as failed. Neither the message nor the stack of the error is recorded, since the messages of the server
 * quote the values of fields, which may be secrets (law 9).
 */
export function fail(span: Span, error: Error): void {
  const code = errorCode(error) ?? error.name;
  span.addEvent("exception", {
    "exception.type": error.name,
    code,
    ...(error instanceof ApiError && statusFacts(error)),
  });
  span.setStatus({ code: SpanStatusCode.ERROR, message: code });
}

function statusFacts({ status }: ApiError): { readonly status?: number; readonly reason?: string } {
  return {
    ...(status.code !== undefined && { status: status.code }),
    ...(status.reason !== undefined && { reason: status.reason }),
  };
}
