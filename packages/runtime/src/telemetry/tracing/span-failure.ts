import { ApiError } from "@keelson/client";
import { errorCode } from "@keelson/core";
import { type Span, SpanStatusCode } from "@opentelemetry/api";

/**
 * Marks a span as failed. Neither the message nor the stack of the error is recorded: the server's messages quote the
 * values of fields, which may be secrets (law 9).
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
