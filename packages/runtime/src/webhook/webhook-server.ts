import type { Client } from "@keelson/client";
import {
  type Clock,
  type HttpService,
  type Listen,
  type Listener,
  type ServiceRequest,
  type ServiceResponse,
  systemClock,
  toError,
} from "@keelson/core";
import { Hooks } from "../hooks.ts";
import type { Logger } from "../logger.ts";
import { steadyLogger } from "../steady-logger.ts";
import type { Admission } from "./admission.ts";
import { mutatingHandler, validatingHandler, type WebhookHandler } from "./admission-handler.ts";
import type { CertificateSource } from "./certificate-source.ts";
import type { Conversion } from "./conversion.ts";
import { convertPath } from "./conversion.ts";
import { conversionHandler } from "./conversion-handler.ts";
import { DuplicateWebhookPathError } from "./errors.ts";
import { BodyBudget } from "./request-body.ts";
import type { WebhookCallDependencies } from "./webhook-call.ts";

/**
 * Observes webhooks, for metrics. The calls are made within a request: they must be quick and must not throw. Webhooks are
 * named by their path.
 */
export interface WebhookObserver {
  /** The number of requests in flight has changed. */
  inFlightChanged(path: string, change: 1 | -1): void;
  /** A request got a response with this HTTP status. */
  responded(path: string, code: number, ms: number): void;
  /** A handler threw an error that is no denial [WH5]. */
  panicked(path: string): void;
}

/** What a webhook server serves, and with what. */
export interface WebhookServerOptions {
  /** The client of the handlers; usually a `cachedClient`. */
  readonly client: Client;
  /** The same, but reads from the server. Default: `client`. */
  readonly liveClient?: Client;
  readonly admissions?: readonly Admission[];
  /** All of them are served at `/convert`. */
  readonly conversions?: readonly Conversion[];
  /** Default: the machine's. */
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly observer?: WebhookObserver;
  /** The memory for all request bodies; a request that would exceed it gets 503. Default 128 MiB. */
  readonly maxBufferedBytes?: number;
}

const mib = 1024 * 1024;

/** The webhooks of a process by their paths. A listener, such as that of `serveWebhooks`, calls `service`. */
export class WebhookServer {
  readonly #handlers = new Map<string, WebhookHandler>();
  readonly #calls: WebhookCallDependencies;
  readonly #observer: WebhookObserver | undefined;
  readonly #hooks: Hooks;
  readonly #bodies: BodyBudget;

  /** Throws a DuplicateWebhookPathError if two webhooks have the same path [WH6]. */
  constructor(options: WebhookServerOptions) {
    const {
      client,
      liveClient = client,
      admissions = [],
      conversions = [],
      clock = systemClock,
      observer,
      maxBufferedBytes = 128 * mib,
    } = options;
    this.#calls = { client, liveClient, clock, log: steadyLogger(options.logger) };
    this.#observer = observer;
    this.#hooks = new Hooks(this.#calls.log);
    this.#bodies = new BodyBudget(maxBufferedBytes);
    for (const admission of admissions) {
      if (admission.mutators.length > 0)
        this.register(admission.pathOf("mutate"), mutatingHandler(admission));
      if (admission.validators.length > 0)
        this.register(admission.pathOf("validate"), validatingHandler(admission));
    }
    if (conversions.length > 0) this.register(convertPath, conversionHandler(conversions));
  }

  /** Adds another handler. Health checks do not belong here: see `healthService`. */
  register(path: string, handler: WebhookHandler): void {
    if (this.#handlers.has(path)) throw new DuplicateWebhookPathError(path);
    this.#handlers.set(path, handler);
  }

  /** The paths that are served. */
  get paths(): readonly string[] {
    return [...this.#handlers.keys()];
  }

  /** Handles a request; 404 for an unknown path. */
  readonly service: HttpService = async (request) => {
    const path = request.path.split("?")[0] ?? request.path;
    const handler = this.#handlers.get(path);
    if (handler === undefined) return plain(404, "no webhook is served at this path\n");
    const { clock } = this.#calls;
    const startedMs = clock.monotonicNow();
    this.#notify("inFlightChanged", (observer) => observer.inFlightChanged(path, 1));
    try {
      const response = await this.#handle(path, handler, request);
      const tookMs = clock.monotonicNow() - startedMs;
      this.#notify("responded", (observer) => observer.responded(path, response.status, tookMs));
      return response;
    } finally {
      this.#notify("inFlightChanged", (observer) => observer.inFlightChanged(path, -1));
    }
  };

  #notify(method: string, call: (observer: WebhookObserver) => void): void {
    const observer = this.#observer;
    if (observer !== undefined) this.#hooks.notify(`${method} of the webhook observer`, () => call(observer));
  }

  async #handle(path: string, handler: WebhookHandler, request: ServiceRequest): Promise<ServiceResponse> {
    const onPanic = (panicked: string, error: Error): void => {
      this.#notify("panicked", (observer) => observer.panicked(panicked));
      this.#calls.log.error("a webhook handler failed", { webhook: panicked, error });
    };
    // Held until the response exists: the parsed objects are at least as large as the body.
    using body = this.#bodies.share();
    try {
      return await handler(request, { ...this.#calls, onPanic, body });
    } catch (caught) {
      if (request.signal.aborted) return plain(499, "the client closed the request\n");
      onPanic(path, toError(caught));
      return plain(500, "internal server error\n");
    }
  }
}

function plain(status: number, body: string): ServiceResponse {
  return { status, headers: { "content-type": "text/plain" }, body };
}

/** The default port of webhooks [WH6]. */
export const defaultWebhookPort = 9443;
/** How long requests in flight may take to end [MG11]. */
const drainMs = 60_000;

/** Where webhooks are served, and with which certificate. */
export interface ServeWebhooksOptions {
  readonly server: WebhookServer;
  readonly certificates: CertificateSource;
  /** Opens ports; `listenHttp` of the client opens real ones. */
  readonly listen: Listen;
  /** Default 9443. 0 takes any free one; below 0 nothing is served [WH6]. */
  readonly port?: number;
  /** Default: all addresses. */
  readonly host?: string;
  /** Called with the port once it is open. */
  readonly onListening?: (port: number) => void;
}

/**
 * Serves webhooks until the signal aborts, then waits up to 60 s for requests in flight. Rejects if the certificate cannot
 * be loaded or the port cannot be opened.
 */
export async function serveWebhooks(options: ServeWebhooksOptions, signal: AbortSignal): Promise<void> {
  const { server, certificates, listen, port = defaultWebhookPort, host, onListening } = options;
  if (port < 0) return;
  await certificates.load(signal);
  const listener: Listener = await listen(
    { port, certificate: () => certificates.current(), ...(host !== undefined && { host }) },
    server.service,
  );
  try {
    onListening?.(listener.port);
    await certificates.run(signal);
  } finally {
    await listener.close(drainMs);
  }
}
