import { getHeapSnapshot } from "node:v8";
import {
  type Clock,
  type HttpService,
  type ServiceRequest,
  type ServiceResponse,
  sleep,
} from "@keelson/core";
import type { CausalLog } from "../controller/causal/causal-log.ts";
import type { Authorize } from "../telemetry/metrics/metrics-service.ts";

/** The causal logs of controllers, by their names. */
export type CausalLogs = ReadonlyMap<string, CausalLog>;

export interface DebugServiceOptions {
  readonly clock: Clock;
  readonly logs: CausalLogs;
  /** Decides about each request: the endpoints show the contents of memory, secrets included. */
  readonly authorize: Authorize;
}

/** `/debug/why`, `/debug/heap` and `/debug/cpu`, for the inspection of a running process. */
export function debugService({ clock, logs, authorize }: DebugServiceOptions): HttpService {
  const profiles = new CpuProfiles(clock);
  return async (request) => {
    const permission = await authorize(request);
    if (!permission.isAllowed) return textResponse(permission.status, permission.message);
    const { pathname, searchParams } = new URL(request.path, "http://localhost");
    if (request.method !== "GET") return textResponse(405, "only GET is allowed");
    switch (pathname) {
      case "/debug/why":
        return why(logs, searchParams);
      case "/debug/heap":
        return heapSnapshot();
      case "/debug/cpu":
        return profiles.serve(request, searchParams);
      default:
        return textResponse(404, "not found; the endpoints are /debug/why, /debug/heap and /debug/cpu");
    }
  };
}

/** Serves paths below `/debug/` by the debug service, and all other paths by the other one. */
export function withDebug(service: HttpService, debug: HttpService): HttpService {
  return (request) => (request.path.startsWith("/debug/") ? debug(request) : service(request));
}

/**
 * `?controller=webapp&key=shop/web` explains the last runs of a key; without a key it lists the keys that have recorded
 * runs, and without a controller the controllers.
 */
function why(logs: CausalLogs, query: URLSearchParams): ServiceResponse {
  const controller = query.get("controller");
  const key = query.get("key");
  const names = [...logs.keys()].sort();
  if (controller === null) return textResponse(200, listOf("controllers", names));
  const log = logs.get(controller);
  if (log === undefined)
    return textResponse(404, `no controller is named ${controller}; ${listOf("controllers", names)}`);
  return textResponse(200, key === null ? listOf(`keys of ${controller}`, log.keys()) : log.explain(key));
}

function listOf(what: string, names: readonly string[]): string {
  return [`${what}:`, ...(names.length === 0 ? ["(none)"] : names)].join("\n  ");
}

/**
 * All objects in memory, for the memory tab of a browser's developer tools. The process does nothing else while the
 * snapshot is taken, about a second for some hundred MB, and the snapshot contains secrets.
 */
async function heapSnapshot(): Promise<ServiceResponse> {
  return fileResponse("keelson.heapsnapshot", getHeapSnapshot());
}

const defaultProfileSeconds = 10;
const maxProfileSeconds = 120;

/** CPU profiles, for the performance tab of a browser's developer tools. One at a time. */
class CpuProfiles {
  readonly #clock: Clock;
  #isBusy = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async serve(request: ServiceRequest, query: URLSearchParams): Promise<ServiceResponse> {
    const seconds = Number(query.get("seconds") ?? defaultProfileSeconds);
    if (!(seconds > 0 && seconds <= maxProfileSeconds))
      return textResponse(400, `seconds must be more than 0 and at most ${maxProfileSeconds}`);
    if (this.#isBusy) return textResponse(409, "another profile is being taken; try again when it is done");
    this.#isBusy = true;
    try {
      return fileResponse("keelson.cpuprofile", await this.#profile(seconds, request.signal));
    } finally {
      this.#isBusy = false;
    }
  }

  async #profile(seconds: number, signal: AbortSignal): Promise<string> {
    // Loaded on demand: it would cost an idle operator a megabyte.
    const { Session } = await import("node:inspector/promises");
    const session = new Session();
    session.connect();
    try {
      await session.post("Profiler.enable");
      await session.post("Profiler.start");
      await sleep(this.#clock, seconds * 1000, signal);
      const { profile } = await session.post("Profiler.stop");
      return JSON.stringify(profile);
    } finally {
      session.disconnect();
    }
  }
}

function textResponse(status: number, text: string): ServiceResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${text}\n` };
}

/** A file that browsers and `curl -OJ` save under this name. */
function fileResponse(name: string, body: string | AsyncIterable<Uint8Array>): ServiceResponse {
  const headers = {
    "content-type": "application/json",
    "content-disposition": `attachment; filename="${name}"`,
  };
  return { status: 200, headers, body };
}
