import {
  type Attributes,
  type AttributeValue,
  type Context,
  type ContextManager,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  type SpanStatus,
  SpanStatusCode,
  type TimeInput,
  TraceFlags,
  type Tracer,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";

/** A span that records its attributes, events and status. */
export class RecordedSpan implements Span {
  readonly name: string;
  readonly kind: SpanKind;
  readonly parentSpanId: string | undefined;
  readonly attributes: Attributes;
  readonly events: { readonly name: string; readonly attributes: unknown }[] = [];
  status: SpanStatus = { code: SpanStatusCode.UNSET };
  isEnded = false;
  readonly #context: SpanContext;

  constructor(name: string, options: SpanOptions, parent: SpanContext | undefined, spanId: string) {
    this.name = name;
    this.kind = options.kind ?? SpanKind.INTERNAL;
    this.attributes = { ...options.attributes };
    this.parentSpanId = parent?.spanId;
    this.#context = {
      traceId: parent?.traceId ?? spanId.padStart(32, "0"),
      spanId,
      traceFlags: TraceFlags.SAMPLED,
    };
  }

  spanContext = (): SpanContext => this.#context;
  isRecording = (): boolean => !this.isEnded;

  setAttribute(key: string, value: AttributeValue): this {
    this.attributes[key] = value;
    return this;
  }

  setAttributes(attributes: Attributes): this {
    Object.assign(this.attributes, attributes);
    return this;
  }

  addEvent(name: string, attributes?: unknown): this {
    this.events.push({ name, attributes });
    return this;
  }

  addLink = (): this => this;
  addLinks = (): this => this;
  updateName = (): this => this;
  recordException = (): void => {
    throw new Error("record an exception: spans must not contain error messages");
  };

  setStatus(status: SpanStatus): this {
    this.status = status;
    return this;
  }

  end(_?: TimeInput): void {
    if (this.isEnded) throw new Error(`${this.name} was ended twice`);
    this.isEnded = true;
  }
}

/** Records all spans, in the order in which they were started. */
export class RecordingTracer implements Tracer, TracerProvider {
  readonly spans: RecordedSpan[] = [];

  getTracer = (): Tracer => this;

  startSpan(name: string, options: SpanOptions = {}, context: Context = ROOT_CONTEXT): Span {
    const parent = options.root === true ? undefined : trace.getSpanContext(context);
    const spanId = (this.spans.length + 1).toString(16).padStart(16, "0");
    const span = new RecordedSpan(name, options, parent, spanId);
    this.spans.push(span);
    return span;
  }

  startActiveSpan(): never {
    throw new Error("start an active span: the tracing sets the active span itself");
  }
}

/** Manages the active context of synchronous code. */
export class SyncContextManager implements ContextManager {
  #active: Context = ROOT_CONTEXT;

  active = (): Context => this.#active;

  with<Args extends unknown[], F extends (...args: Args) => ReturnType<F>>(
    context: Context,
    work: F,
    thisArg?: ThisParameterType<F>,
    ...args: Args
  ): ReturnType<F> {
    const before = this.#active;
    this.#active = context;
    try {
      return work.call(thisArg, ...args);
    } finally {
      this.#active = before;
    }
  }

  bind = <T>(_: Context, target: T): T => target;
  enable = (): this => this;
  disable = (): this => this;
}
