import { type Clock, errorCode, systemClock, toError } from "@keelson/core";
import type { ControllerTracer } from "../../controller/run-tracer.ts";

export interface TracingOptions {
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/**
 * Makes OpenTelemetry spans of reconciles and of their calls to the API server, for whichever tracer provider the
 * process registers, before or after. Undefined if the package `@opentelemetry/api` is not installed. As long as no
 * provider is registered, a reconcile costs nothing more.
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
