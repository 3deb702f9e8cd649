import { type Clock, isRecord, type ObjectKey, type Resource } from "@keelson/core";
import {
  type Attributes,
  context,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanKind,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { ControllerTracer, RunTrace, TracedRun } from "../../controller/run-tracer.ts";
import { fail, tracedCalls } from "./traced-calls.ts";

/** The name of the instrumentation, which backends show. */
const instrumentation = "keelson";

/** A span for each run, with a child for each call that it makes. */
export function openTelemetryTracer(clock: Clock): ControllerTracer {
  return {
    tracerOf:
      ({ name, kind }) =>
      (run) => {
        const tracer = registeredTracer();
        return tracer === undefined ? undefined : traceRun(tracer, clock, run, { name, kind });
      },
  };
}

/**
 * Undefined as long as no provider is registered. The API would return a tracer whose spans do nothing, but their
 * attributes would be computed all the same.
 */
function registeredTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer(instrumentation)
    : provider.getTracer(instrumentation);
}

function traceRun(
  tracer: Tracer,
  clock: Clock,
  run: TracedRun,
  controller: { readonly name: string; readonly kind: Resource | undefined },
): RunTrace {
  // Each run is a trace of its own, in whatever context the controller was started.
  const span = tracer.startSpan(
    `reconcile ${controller.name}`,
    { kind: SpanKind.INTERNAL, root: true, attributes: attributesOf(run, controller) },
    ROOT_CONTEXT,
  );
  const inSpan = trace.setSpan(ROOT_CONTEXT, span);
  return {
    around: (reconcile) => context.with(inSpan, reconcile),
    layer: (next) => tracedCalls({ tracer, clock, parent: inSpan }, next),
    end: (result, error) => {
      span.setAttribute("result", result);
      if (error !== undefined) fail(span, error);
      span.end();
    },
  };
}

function attributesOf(
  { key, keyText, reconcileId, priority, queuedMs }: TracedRun,
  { name, kind }: { readonly name: string; readonly kind: Resource | undefined },
): Attributes {
  return {
    controller: name,
    ...(kind !== undefined && { kind: kind.kind, group: kind.group }),
    ...(isObjectKey(key) ? { namespace: key.namespace ?? "", name: key.name } : { key: keyText }),
    reconcileID: reconcileId,
    priority,
    queueWaitMs: queuedMs,
  };
}

function isObjectKey(key: unknown): key is ObjectKey {
  return isRecord(key) && typeof key.name === "string";
}
