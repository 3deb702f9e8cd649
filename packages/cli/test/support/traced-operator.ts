import { INVALID_SPAN_CONTEXT, ProxyTracer, ProxyTracerProvider, type Span, trace } from "@opentelemetry/api";

export { gadgets } from "./gadget-operator.ts";

/** Prints on standard error which spans begin. */
class TellingTracer extends ProxyTracer {
  override startSpan(name: string): Span {
    process.stderr.write(`span ${name}\n`);
    return trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
  }
}

const tracer = new TellingTracer(new ProxyTracerProvider(), "test");
trace.setGlobalTracerProvider({ getTracer: () => tracer });
