import type { HttpService, ServiceRequest, ServiceResponse } from "@keelson/core";
import type { Metrics } from "./metrics.ts";
import { expositionContentType } from "./series.ts";

/** Where metrics are found. */
export const metricsPath = "/metrics";

/** Whether somebody may see the metrics, and if not, how that is said. */
export type Permission =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly status: 401 | 403 | 500; readonly message: string };

/** Judges a request by its headers. */
export type Authorize = (request: ServiceRequest) => Promise<Permission>;

export interface MetricsServiceOptions {
  /** Default: all may see them. */
  readonly authorize?: Authorize;
}

const allowAll: Authorize = async () => ({ isAllowed: true });

/** Answers `GET /metrics`. Whoever listens moves its bytes, with or without TLS. */
export function metricsService(
  metrics: Pick<Metrics, "render">,
  options: MetricsServiceOptions = {},
): HttpService {
  const authorize: Authorize = options.authorize ?? allowAll;
  return async (request) => {
    const { method, path } = request;
    if (path.split("?")[0] !== metricsPath) return plain(404, "not found; metrics are at /metrics\n");
    if (method !== "GET" && method !== "HEAD")
      return withHeader(plain(405, "metrics can only be read\n"), "allow", "GET, HEAD");
    const permission = await authorize(request);
    if (!permission.isAllowed) return refused(permission.status, permission.message);
    const headers = { "content-type": expositionContentType };
    // The length is that of the text which a GET would get; nothing is sent.
    const text = await metrics.render();
    if (method === "GET") return { status: 200, headers, body: text };
    return { status: 200, headers: { ...headers, "content-length": String(Buffer.byteLength(text)) } };
  };
}

function refused(status: number, message: string): ServiceResponse {
  const response = plain(status, `${message}\n`);
  return status === 401 ? withHeader(response, "www-authenticate", "Bearer") : response;
}

function plain(status: number, body: string): ServiceResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

function withHeader(response: ServiceResponse, name: string, value: string): ServiceResponse {
  return { ...response, headers: { ...response.headers, [name]: value } };
}
