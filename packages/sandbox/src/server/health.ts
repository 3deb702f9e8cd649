import type { Store } from "../store/store.ts";
import { type ApiResponse, textResponse } from "./response/response.ts";

const endpoints: ReadonlySet<string> = new Set(["healthz", "livez", "readyz"]);
const checks = ["ping", "log", "etcd", "informer-sync"];

/** The response of a health endpoint or of `/metrics`; undefined for other paths. The server is always healthy. */
export function healthResponse(path: string, query: URLSearchParams, store: Store): ApiResponse | undefined {
  const parts = path.replace(/^\/|\/$/g, "").split("/");
  const [endpoint = "", check, ...rest] = parts;
  if (endpoint === "metrics" && parts.length === 1) return metricsResponse(store);
  if (!endpoints.has(endpoint) || rest.length > 0) return undefined;
  if (check !== undefined) return checks.includes(check) ? textResponse("ok") : undefined;
  if (!query.has("verbose")) return textResponse("ok");
  const lines = checks.map((one) => `[+]${one} ok`);
  return textResponse(`${lines.join("\n")}\n${endpoint} check passed\n`);
}

function metricsResponse(store: Store): ApiResponse {
  const name = "apiserver_storage_objects";
  const lines = store
    .collections()
    .toSorted()
    .map((collection) => `${name}{resource="${collection}"} ${store.count(collection)}`);
  const text = [`# HELP ${name} Objects that are stored, by resource`, `# TYPE ${name} gauge`, ...lines, ""];
  return {
    ...textResponse(text.join("\n")),
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
  };
}
