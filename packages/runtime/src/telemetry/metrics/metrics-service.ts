import type { HttpService, ServiceRequest, ServiceResponse } from "@keelson/core";
import type { Metrics } from "./metrics.ts";
import { expositionContentType } from "./series.ts";

/** The path of the metrics. */
export const metricsPath = "/metrics";

/** Whether a request may read the metrics and, if not, the response. */
export type Permission =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly status: 401 | 403 | 500; readonly message: string };

/** Decides about a request by its headers. */
export type Authorize = (request: ServiceRequest) => Promise<Permission>;

/** Who may read the metrics. */
export interface MetricsServiceOptions {
  /** Default: every client may read them. */
  readonly authorize?: Authorize;
}

const allowAll: Authorize = async () => ({ isAllowed: true });

/** Serves `GET /metrics`. The listener decides about TLS. */
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
    // The length of the body of a GET; a HEAD has none.
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
