import { KeelsonError } from "keelson";
import { cutText } from "keelson/low-level";

/** Why a command of Helm failed, by what it wrote. */
export type HelmFailure =
  /** It was ended from outside. */
  | "cancelled"
  /** The API server or the repository was not reached. */
  | "connection"
  /** The API server did not accept the credentials. */
  | "unauthorized"
  | "release-not-found"
  /** The templates or the values of the chart are wrong. */
  | "render"
  /** An object of the chart exists and does not belong to the release. */
  | "object-exists"
  /** The API server refused an object of the chart. */
  | "invalid"
  | "chart-not-found"
  | "other";

/** The first that matches decides. Helm 3 and 4 begin some of these sentences differently, so case does not count. */
const failures: readonly (readonly [HelmFailure, RegExp])[] = [
  ["cancelled", /context canceled/i],
  ["connection", /etcdserver/i],
  ["release-not-found", /release: not found/i],
  ["unauthorized", /asked for the client to provide credentials|must be logged in to the server/i],
  [
    "render",
    /failed to render chart|execution error|yaml parse error|parse error at|error calling|schema\(s\)/i,
  ],
  ["object-exists", /contain a resource that already exists|exists and cannot be imported/i],
  ["invalid", /is invalid/i],
  [
    "chart-not-found",
    /chart "[^"]*" (?:\(?version "[^"]*"\)? )?not found|path "[^"]*" not found|repo_name\/path_to_chart/i,
  ],
  ["connection", /read: operation timed out|network is unreachable|cluster unreachable|cannot be reached/i],
  ["connection", /connection refused|no such host|i\/o timeout|tls handshake timeout/i],
];

export function failureOf(stderr: string): HelmFailure {
  return failures.find(([, pattern]) => pattern.test(stderr))?.[0] ?? "other";
}

/** The base of all errors about Helm. */
export abstract class HelmError extends KeelsonError {
  static override readonly brand: string = "@keelson/azimuth-capi.HelmError";
}

/** Facts about a command that failed. None of them holds a secret. */
export interface FailedCommand {
  /** For people, such as `upgrade release team-a/demo`. */
  readonly purpose: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Undefined if a signal ended it. */
  readonly exitCode: number | undefined;
  /** The end of what it wrote to standard error. */
  readonly stderr: string;
}

/** The message shows as much of what Helm wrote; the field has more. */
const shownBytes = 1_000;

/** A command of Helm did not succeed. */
export class HelmCommandError extends HelmError implements FailedCommand {
  static override readonly brand: string = "@keelson/azimuth-capi.HelmCommandError";
  readonly code = "HELM_COMMAND";
  readonly purpose: string;
  readonly command: readonly string[];
  readonly exitCode: number | undefined;
  readonly stderr: string;
  readonly failure: HelmFailure;

  constructor({ purpose, command, exitCode, stderr }: FailedCommand) {
    const end = exitCode === undefined ? "helm was killed" : `helm ended with ${exitCode}`;
    const complaint = cutText(complaintIn(stderr), shownBytes);
    super(`${purpose}: ${complaint === "" ? end : complaint}`);
    this.purpose = purpose;
    this.command = command;
    this.exitCode = exitCode;
    this.stderr = stderr;
    this.failure = failureOf(stderr);
  }
}

/** What follows `Error:`, and not the progress and warnings before it. */
function complaintIn(stderr: string): string {
  const [, complaint = stderr] = /^Error: ([\s\S]*)$/m.exec(stderr) ?? [];
  return complaint.trim();
}

/** A command of Helm took longer than it may, and was ended. */
export class HelmTimeoutError extends HelmError {
  static override readonly brand: string = "@keelson/azimuth-capi.HelmTimeoutError";
  readonly code = "HELM_TIMEOUT";
  readonly timeoutMs: number;

  constructor(purpose: string, timeoutMs: number) {
    super(`${purpose}: helm took longer than ${timeoutMs / 1000} s and was ended`);
    this.timeoutMs = timeoutMs;
  }
}

/** There is no program of Helm that can be used. */
export class HelmUnavailableError extends HelmError {
  static override readonly brand: string = "@keelson/azimuth-capi.HelmUnavailableError";
  readonly code = "HELM_UNAVAILABLE";
  readonly executable: string;

  constructor(executable: string, problem: string, options?: ErrorOptions) {
    super(
      `run ${executable}: ${problem}; install Helm 3.17 or later, or 4, on the PATH of the operator, or set ` +
        `helmClient.executable to its path`,
      options,
    );
    this.executable = executable;
  }
}

/** Helm printed, or a chart or a release holds, what is not understood. */
export class HelmFormatError extends HelmError {
  static override readonly brand: string = "@keelson/azimuth-capi.HelmFormatError";
  readonly code = "HELM_FORMAT";
}

/** Helm has to reach the API server, and it is not known how. */
export class HelmAccessError extends HelmError {
  static override readonly brand: string = "@keelson/azimuth-capi.HelmAccessError";
  readonly code = "HELM_ACCESS";
}
