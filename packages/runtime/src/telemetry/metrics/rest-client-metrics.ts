import type { Clock, Transport, TransportRequest, TransportResponse } from "@keelson/core";
import type { MetricsRegistry } from "./metrics-registry.ts";

/** For requests to the API server, as Kubernetes' components have them [MX3]. */
const requestBuckets: readonly number[] = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** As requestBuckets, without the last one: how long it takes to resolve a name [MX3]. */
const resolutionBuckets: readonly number[] = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30];

/** For sizes of requests and responses, in bytes [MX3]. */
const sizeBuckets: readonly number[] = [
  64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
];

/** Where a request got no answer, the code is this, as in client-go. */
const noAnswer = "<error>";

/**
 * What a transport may tell beyond the requests that are sent through it. Counted if the details are asked for [MX3]. Our
 * own tells nothing of it: it does not limit itself, and leaves the lookup of names to the system.
 */
export interface RestClientObserver {
  /** A request waited for so long because this process limits itself. */
  rateLimited(verb: string, host: string, ms: number): void;
  /** A host's name was looked up. */
  resolved(host: string, ms: number): void;
}

export interface RestClientMetrics extends RestClientObserver {
  /** Counts what is sent through it. */
  measure(transport: Transport, host: string): Transport;
}

interface Details extends RestClientObserver {
  /** A request was sent again after this answer. */
  retried(code: string, verb: string, host: string): void;
  answered(request: TransportRequest, host: string, ms: number): void;
  received(request: TransportRequest, host: string, bytes: number): void;
}

/** The metrics of requests to the API server [MX3]; with `hasDetails` also those that cost series per verb and host. */
export function restClientMetrics(
  registry: MetricsRegistry,
  clock: Clock,
  hasDetails: boolean,
): RestClientMetrics {
  const requests = registry.counter({
    name: "rest_client_requests_total",
    help: "How many requests were sent to the API server, by answer.",
    labels: ["code", "method", "host"],
  });
  const details = hasDetails ? detailMetrics(registry) : undefined;
  /** The last answer to each request that somebody may repeat: the one that comes again is the same object. */
  const codes = new WeakMap<TransportRequest, string>();
  const send = async (
    transport: Transport,
    host: string,
    request: TransportRequest,
  ): Promise<TransportResponse> => {
    const startedMs = clock.monotonicNow();
    let code = noAnswer;
    const before = codes.get(request);
    if (before !== undefined) details?.retried(before, request.method, host);
    try {
      const response = await transport.send(request);
      code = String(response.status);
      if (details === undefined) return response;
      const body = counted(response.body, (bytes) => details.received(request, host, bytes));
      return { ...response, body };
    } finally {
      requests.with(code, request.method, host).add();
      if (details !== undefined) codes.set(request, code);
      details?.answered(request, host, clock.monotonicNow() - startedMs);
    }
  };
  return {
    measure: (transport, host) => ({
      send: (request) => send(transport, host, request),
      close: () => transport.close(),
    }),
    rateLimited: (verb, host, ms) => details?.rateLimited(verb, host, ms),
    resolved: (host, ms) => details?.resolved(host, ms),
  };
}

function detailMetrics(registry: MetricsRegistry): Details {
  const byVerb = (name: string, help: string, buckets: readonly number[]) =>
    registry.histogram({ name, help, labels: ["verb", "host"], buckets });
  const duration = byVerb(
    "rest_client_request_duration_seconds",
    "How long the API server took to begin to answer.",
    requestBuckets,
  );
  const limiter = byVerb(
    "rest_client_rate_limiter_duration_seconds",
    "How long requests waited because this process limits itself.",
    requestBuckets,
  );
  const requestSize = byVerb("rest_client_request_size_bytes", "How large requests were.", sizeBuckets);
  const responseSize = byVerb("rest_client_response_size_bytes", "How large responses were.", sizeBuckets);
  const resolution = registry.histogram({
    name: "rest_client_dns_resolution_duration_seconds",
    help: "How long it took to look up the API server's name.",
    labels: ["host"],
    buckets: resolutionBuckets,
  });
  const retries = registry.counter({
    name: "rest_client_request_retries_total",
    help: "How many requests were sent again, by the answer to the attempt before.",
    labels: ["code", "verb", "host"],
  });
  return {
    answered: ({ method, body = "" }, host, ms) => {
      duration.with(method, host).observe(ms / 1000);
      requestSize.with(method, host).observe(Buffer.byteLength(body));
    },
    received: ({ method }, host, bytes) => responseSize.with(method, host).observe(bytes),
    rateLimited: (verb, host, ms) => limiter.with(verb, host).observe(ms / 1000),
    resolved: (host, ms) => resolution.with(host).observe(ms / 1000),
    retried: (code, verb, host) => retries.with(code, verb, host).add(),
  };
}

/** Told how much was read, whether that was all of it or the reader left. */
function counted(body: AsyncIterable<Uint8Array>, onEnd: (bytes: number) => void): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => countedIterator(body[Symbol.asyncIterator](), onEnd) };
}

/** No generator: one that is left before it began would not leave the body, whose connection would stay in use. */
function countedIterator(
  chunks: AsyncIterator<Uint8Array>,
  onEnd: (bytes: number) => void,
): AsyncIterator<Uint8Array> {
  let bytes = 0;
  let isOver = false;
  const end = (): void => {
    if (!isOver) onEnd(bytes);
    isOver = true;
  };
  return {
    next: async () => {
      try {
        const step = await chunks.next();
        if (step.done === true) end();
        else bytes += step.value.length;
        return step;
      } catch (error) {
        end();
        throw error;
      }
    },
    return: async () => {
      end();
      await chunks.return?.();
      return { done: true, value: undefined };
    },
  };
}
