import { type Clock, errorCode, systemClock, toError } from "@keelson/core";
import type { ControllerTracer } from "../../controller/run-tracer.ts";

/** The options of tracing. */
export interface TracingOptions {
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/**
 * Creates OpenTelemetry spans of reconciles and of their calls to the API server, for the tracer provider that the process
 * registers before or after this call. Returns undefined if the package `@opentelemetry/api` is not installed. As long as
 * no provider is registered, tracing costs nothing.
 */
export async function createTracing({
  clock = systemClock,
}: TracingOptions = {}): Promise<ControllerTracer | undefined> {
  try {
    const { openTelemetryTracer } = await import("./open-telemetry-tracer.ts");
    return openTelemetryTracer(clock);
  } catch (error) {
    if (isApiMissing(error)) return undefined;
    throw error;
  }
}

function isApiMissing(error: unknown): boolean {
  return errorCode(error) === "ERR_MODULE_NOT_FOUND" && toError(error).message.includes("@opentelemetry/api");
}
