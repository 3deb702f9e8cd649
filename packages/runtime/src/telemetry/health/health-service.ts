import type { Clock, HttpService, ServiceRequest, ServiceResponse } from "@keelson/core";
import type { Logger } from "../../logger.ts";
import { steadyLogger } from "../../steady-logger.ts";
import { HealthChecks, type NamedHealthCheck, runCheck } from "./health-checks.ts";

/** The checks of a process, and where their failures are logged. */
export interface HealthServiceOptions {
  /** Served at `/healthz`: if one fails, the process should be restarted. */
  readonly live: HealthChecks;
  /** Served at `/readyz`: as long as one fails, the process should receive no work. */
  readonly ready: HealthChecks;
  readonly clock: Clock;
  /** Receives why a check failed. Default: nothing is logged. */
  readonly log?: Logger;
}

/**
 * Serves probes as Kubernetes and controller-runtime do [MG8]: `/healthz` and `/readyz` with 200 and `ok`, or with 500 and
 * a line for each check; `/healthz/<name>` for one check alone; `?verbose` for the lines in any case;
 * `?exclude=<name>`, as often as needed, to leave checks out. `/live` is another name of `/healthz`. Why a check failed is
 * only in the log. Seals the checks: none can be added after this call.
 */
export function healthService(options: HealthServiceOptions): HttpService {
  const { live, ready, clock } = options;
  const log = steadyLogger(options.log);
  const failures = new FailureLog(log);
  const checksAt = { healthz: served(live), readyz: served(ready) };
  return async (request) => {
    const [path = "", query = ""] = request.path.split("?");
    const [, name = "", check = "", ...rest] = path.split("/");
    const endpoint = endpoints.get(name);
    if (endpoint === undefined || rest.length > 0) return plain(404, "404 page not found\n");
    const checks = checksAt[endpoint];
    if (request.method !== "GET" && request.method !== "HEAD") return plain(405, "method not allowed\n");
    const probe: Probe = { endpoint, checks, request, clock, failures };
    return check === "" ? respondToAll(probe, new URLSearchParams(query)) : respondToOne(probe, check);
  };
}

/** Serves the paths of probes by the health service, and all other paths by the other one. */
export function withProbes(service: HttpService, probes: HttpService): HttpService {
  return (request) => {
    const [, name = ""] = request.path.split(/[/?]/);
    return endpoints.has(name) ? probes(request) : service(request);
  };
}

/** By the first part of a path. */
const endpoints: ReadonlyMap<string, "healthz" | "readyz"> = new Map([
  ["healthz", "healthz"],
  ["live", "healthz"],
  ["readyz", "readyz"],
]);

interface Probe {
  readonly endpoint: string;
  readonly checks: HealthChecks;
  readonly request: ServiceRequest;
  readonly clock: Clock;
  readonly failures: FailureLog;
}

/** Without checks, one that always passes shows that the port is open. */
function served(checks: HealthChecks): HealthChecks {
  checks.seal();
  return checks.all.length > 0 ? checks : new HealthChecks().add("ping", () => undefined);
}

async function respondToAll(probe: Probe, query: URLSearchParams): Promise<ServiceResponse> {
  const { endpoint, checks } = probe;
  const excluded = new Set(query.getAll("exclude"));
  const results = await Promise.all(
    checks.all.map(async (check): Promise<CheckResult> => {
      const { name } = check;
      if (excluded.has(name)) return { name, outcome: "excluded" };
      return { name, outcome: (await reasonOf(probe, check)) === undefined ? "ok" : "failed" };
    }),
  );
  const unknown = [...excluded].filter((name) => checks.get(name) === undefined).sort();
  const report = verboseReport(endpoint, results, unknown);
  if (results.some(({ outcome }) => outcome === "failed")) return plain(500, report);
  return plain(200, query.has("verbose") ? report : "ok");
}

async function respondToOne(probe: Probe, name: string): Promise<ServiceResponse> {
  const check = probe.checks.get(name);
  if (check === undefined) return plain(404, "404 page not found\n");
  const reason = await reasonOf(probe, check);
  // As in the report, the reason is only in the log: it may contain internal details.
  return reason === undefined ? plain(200, "ok") : plain(500, "internal server error: reason withheld\n");
}

async function reasonOf(probe: Probe, check: NamedHealthCheck): Promise<Error | undefined> {
  const { endpoint, request, clock, failures } = probe;
  const reason = await runCheck(check, { clock, signal: request.signal });
  // A closed probe aborts the check, which is no failure of it.
  if (!request.signal.aborted) failures.record(endpoint, check.name, reason);
  return reason;
}

function plain(status: number, body: string): ServiceResponse {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status, headers, body };
}

/** The result of one check. */
interface CheckResult {
  readonly name: string;
  readonly outcome: "ok" | "excluded" | "failed";
}

/**
 * The report in the format of Kubernetes [MG8]. It does not contain why a check failed, since every client that reaches the
 * port can read it.
 */
function verboseReport(
  endpoint: string,
  results: readonly CheckResult[],
  unknownExcludes: readonly string[],
): string {
  const lines = results.map(({ name, outcome }) => lineOf(name, outcome));
  if (unknownExcludes.length > 0) {
    const names = unknownExcludes.map((name) => JSON.stringify(name)).join(",");
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  const hasFailed = results.some(({ outcome }) => outcome === "failed");
  return [...lines, `${endpoint} check ${hasFailed ? "failed" : "passed"}`, ""].join("\n");
}

function lineOf(name: string, outcome: CheckResult["outcome"]): string {
  switch (outcome) {
    case "ok":
      return `[+]${name} ok`;
    case "excluded":
      return `[+]${name} excluded: ok`;
    case "failed":
      return `[-]${name} failed: reason withheld`;
  }
}

/**
 * Logs why checks fail, since responses do not contain it. Probes come every few seconds, so a failure is a warning only
 * when a check starts to fail; its recovery is logged as well.
 */
class FailureLog {
  readonly #log: Logger;
  readonly #failing = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  record(endpoint: string, check: string, error: Error | undefined): void {
    const key = `${endpoint}/${check}`;
    const wasFailing = this.#failing.has(key);
    if (error === undefined) {
      if (this.#failing.delete(key)) this.#log.info("a health check passes again", { endpoint, check });
      return;
    }
    this.#failing.add(key);
    // The message without the stack, which explains nothing about a check.
    const reason = error.message;
    if (wasFailing) this.#log.debug("a health check still fails", { endpoint, check, reason });
    else this.#log.warn("a health check fails", { endpoint, check, reason });
  }
}
