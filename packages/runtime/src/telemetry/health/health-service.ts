import type { Clock, HttpService, ServiceRequest, ServiceResponse } from "@keelson/core";
import { type Logger, silentLogger } from "../../logger.ts";
import { HealthChecks, type NamedHealthCheck, runCheck } from "./health-checks.ts";

export interface HealthServiceOptions {
  /** Answered under `/healthz`: if one fails, the process should be restarted. */
  readonly live: HealthChecks;
  /** Answered under `/readyz`: as long as one fails, the process should get no work. */
  readonly ready: HealthChecks;
  readonly clock: Clock;
  /** Where it is said why a check failed. Default: nowhere. */
  readonly log?: Logger;
}

/**
 * Answers probes as Kubernetes and controller-runtime do [MG8]: `/healthz` and `/readyz` with 200 and `ok`, or with
 * 500 and a line for each check; `/healthz/<name>` for one check alone; `?verbose` for the lines in any case;
 * `?exclude=<name>`, as often as needed, to leave checks out. Why a check failed is only in the log. From now on no check
 * can be added.
 */
export function healthService(options: HealthServiceOptions): HttpService {
  const { live, ready, clock, log = silentLogger } = options;
  const failures = new FailureLog(log);
  const endpoints = new Map([
    ["healthz", served(live)],
    ["readyz", served(ready)],
  ]);
  return async (request) => {
    const [path = "", query = ""] = request.path.split("?");
    const [, endpoint = "", name = "", ...rest] = path.split("/");
    const checks = endpoints.get(endpoint);
    if (checks === undefined || rest.length > 0) return plain(404, "404 page not found\n");
    if (request.method !== "GET" && request.method !== "HEAD") return plain(405, "method not allowed\n");
    const asked: Asked = { endpoint, checks, request, clock, failures };
    return name === "" ? answerAll(asked, new URLSearchParams(query)) : answerOne(asked, name);
  };
}

interface Asked {
  readonly endpoint: string;
  readonly checks: HealthChecks;
  readonly request: ServiceRequest;
  readonly clock: Clock;
  readonly failures: FailureLog;
}

/** Without checks that the port answers is one. */
function served(checks: HealthChecks): HealthChecks {
  checks.seal();
  return checks.all.length > 0 ? checks : new HealthChecks().add("ping", () => undefined);
}

async function answerAll(asked: Asked, query: URLSearchParams): Promise<ServiceResponse> {
  const { endpoint, checks } = asked;
  const excluded = new Set(query.getAll("exclude"));
  const results = await Promise.all(
    checks.all.map(async (check): Promise<CheckResult> => {
      const { name } = check;
      if (excluded.has(name)) return { name, outcome: "excluded" };
      return { name, outcome: (await reasonOf(asked, check)) === undefined ? "ok" : "failed" };
    }),
  );
  const unknown = [...excluded].filter((name) => checks.get(name) === undefined).sort();
  const report = verboseReport(endpoint, results, unknown);
  if (results.some(({ outcome }) => outcome === "failed")) return plain(500, report);
  return plain(200, query.has("verbose") ? report : "ok");
}

async function answerOne(asked: Asked, name: string): Promise<ServiceResponse> {
  const check = asked.checks.get(name);
  if (check === undefined) return plain(404, "404 page not found\n");
  const reason = await reasonOf(asked, check);
  // As in the report of all, the reason is for the log: it may quote what only its owner should see.
  return reason === undefined ? plain(200, "ok") : plain(500, "internal server error: reason withheld\n");
}

async function reasonOf(asked: Asked, check: NamedHealthCheck): Promise<Error | undefined> {
  const { endpoint, request, clock, failures } = asked;
  const reason = await runCheck(check, { clock, signal: request.signal });
  // Whoever asked has gone away: that says nothing about the check.
  if (!request.signal.aborted) failures.note(endpoint, check.name, reason);
  return reason;
}

function plain(status: number, body: string): ServiceResponse {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status, headers, body };
}

/** How one check of an answer ended. */
interface CheckResult {
  readonly name: string;
  readonly outcome: "ok" | "excluded" | "failed";
}

/**
 * The lines that Kubernetes answers with, which people know and programs read [MG8]. Why a check failed is not in them:
 * anybody who reaches the port can ask.
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
 * Says in the log why checks fail, since answers do not. Probes ask every few seconds: aloud it is said when a check
 * begins to fail and when it is well again.
 */
class FailureLog {
  readonly #log: Logger;
  readonly #failing = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  note(endpoint: string, check: string, error: Error | undefined): void {
    const key = `${endpoint}/${check}`;
    const wasFailing = this.#failing.has(key);
    if (error === undefined) {
      if (this.#failing.delete(key)) this.#log.info("a health check passes again", { endpoint, check });
      return;
    }
    this.#failing.add(key);
    // Its message says all: where in the program it was made is of no use.
    const reason = error.message;
    if (wasFailing) this.#log.debug("a health check still fails", { endpoint, check, reason });
    else this.#log.warn("a health check fails", { endpoint, check, reason });
  }
}
