import type { Clock, HttpService } from "@keelson/core";
import type { Authorize } from "../../telemetry/metrics/metrics-service.ts";
import { textAnswer } from "./answers.ts";
import { CpuProfiles } from "./cpu-profile.ts";
import { heapSnapshot } from "./heap-snapshot.ts";
import { type CausalLogs, why } from "./why.ts";

export interface DebugServiceOptions {
  readonly clock: Clock;
  readonly logs: CausalLogs;
  /** Asked for each request: what is shown here includes what is in memory. */
  readonly authorize: Authorize;
}

/** `/debug/why`, `/debug/heap` and `/debug/cpu`, for people who look into a running process. */
export function debugService({ clock, logs, authorize }: DebugServiceOptions): HttpService {
  const profiles = new CpuProfiles(clock);
  return async (request) => {
    const permission = await authorize(request);
    if (!permission.isAllowed) return textAnswer(permission.status, permission.message);
    const { pathname, searchParams } = new URL(request.path, "http://localhost");
    if (request.method !== "GET") return textAnswer(405, "only GET is answered here");
    switch (pathname) {
      case "/debug/why":
        return why(logs, searchParams);
      case "/debug/heap":
        return heapSnapshot();
      case "/debug/cpu":
        return profiles.answer(request, searchParams);
      default:
        return textAnswer(404, "there are /debug/why, /debug/heap and /debug/cpu");
    }
  };
}

/** Puts the service under `/debug/` in front of another one. */
export function withDebug(service: HttpService, debug: HttpService): HttpService {
  return (request) => (request.path.startsWith("/debug/") ? debug(request) : service(request));
}
