import type { Clock, Transport, TransportRequest, TransportResponse } from "@keelson/core";
import type { MetricsRegistry } from "./metrics-registry.ts";

/** For requests to the API server: the buckets of the components of Kubernetes [MX3]. */
const requestBuckets: readonly number[] = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** For the resolution of host names: requestBuckets without the last one [MX3]. */
const resolutionBuckets: readonly number[] = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30];

/** For the sizes of requests and responses, in bytes [MX3]. */
const sizeBuckets: readonly number[] = [
  64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
];

/** The code of a request without a response, as in client-go. */
const noResponse = "<error>";

/**
 * What a transport may report beyond its requests; counted if details are enabled [MX3]. The transport of Keelson reports
 * neither: it has no rate limit, and leaves the resolution of names to the system.
 */
export interface RestClientObserver {
  /** A request waited for a rate limiter of this process. */
  rateLimited(verb: string, host: string, ms: number): void;
  /** The name of a host was resolved. */
  resolved(host: string, ms: number): void;
}

export interface RestClientMetrics extends RestClientObserver {
  /** Counts the requests of a transport. */
  measure(transport: Transport, host: string): Transport;
}

interface Details extends RestClientObserver {
  /** A request was retried after a response with this code. */
  retried(code: string, verb: string, host: string): void;
  responded(request: TransportRequest, host: string, ms: number): void;
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
    help: "Number of requests to the API server, by status code.",
    labels: ["code", "method", "host"],
  });
  const details = hasDetails ? detailMetrics(registry) : undefined;
  /** The last code of each request that may be retried; a retry sends the same object. */
  const codes = new WeakMap<TransportRequest, string>();
  const send = async (
    transport: Transport,
    host: string,
    request: TransportRequest,
  ): Promise<TransportResponse> => {
    const startedMs = clock.monotonicNow();
    let code = noResponse;
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
      details?.responded(request, host, clock.monotonicNow() - startedMs);
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
    "Time until the API server started its response.",
    requestBuckets,
  );
  const limiter = byVerb(
    "rest_client_rate_limiter_duration_seconds",
    "Time for which requests waited for a rate limiter of this process.",
    requestBuckets,
  );
  const requestSize = byVerb("rest_client_request_size_bytes", "Size of requests.", sizeBuckets);
  const responseSize = byVerb("rest_client_response_size_bytes", "Size of responses.", sizeBuckets);
  const resolution = registry.histogram({
    name: "rest_client_dns_resolution_duration_seconds",
    help: "Time to resolve the host name of the API server.",
    labels: ["host"],
    buckets: resolutionBuckets,
  });
  const retries = registry.counter({
    name: "rest_client_request_retries_total",
    help: "Number of retries, by the status code of the previous attempt.",
    labels: ["code", "verb", "host"],
  });
  return {
    responded: ({ method, body = "" }, host, ms) => {
      duration.with(method, host).observe(ms / 1000);
      requestSize.with(method, host).observe(Buffer.byteLength(body));
    },
    received: ({ method }, host, bytes) => responseSize.with(method, host).observe(bytes),
    rateLimited: (verb, host, ms) => limiter.with(verb, host).observe(ms / 1000),
    resolved: (host, ms) => resolution.with(host).observe(ms / 1000),
    retried: (code, verb, host) => retries.with(code, verb, host).add(),
  };
}

/** Calls back with the number of bytes read, at the end of the body or when the reader stops. */
function counted(body: AsyncIterable<Uint8Array>, onEnd: (bytes: number) => void): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => countedIterator(body[Symbol.asyncIterator](), onEnd) };
}

/** Not a generator: one that is closed before its start would not close the body, whose connection would stay in use. */
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
