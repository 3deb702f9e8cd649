import { KeelsonError } from "@keelson/core";
import type { BinaryName } from "./binaries/binaries.ts";

export abstract class ControlPlaneError extends KeelsonError {
  static override readonly brand: string = "@keelson/controlplane.ControlPlaneError";
}

/** A program that exists but cannot be used, or is not in its folder. */
export class InvalidBinaryError extends ControlPlaneError {
  static override readonly brand: string = "@keelson/controlplane.InvalidBinaryError";
  readonly code = "INVALID_BINARY";
  readonly file: string;
  readonly problem: string;

  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`use ${file}: ${problem}`, options);
    this.file = file;
    this.problem = problem;
  }
}

/** One place that was searched for the control plane's programs, and why it had none. */
export interface FailedSource {
  readonly source: string;
  readonly reason: string;
}

/** No source could give the control plane's programs. */
export class BinariesUnavailableError extends ControlPlaneError {
  static override readonly brand: string = "@keelson/controlplane.BinariesUnavailableError";
  readonly code = "BINARIES_UNAVAILABLE";
  readonly failures: readonly FailedSource[];

  constructor(failures: readonly FailedSource[], options?: ErrorOptions) {
    const reasons = failures.map(({ source, reason }) => `\n  - ${source}: ${reason}`);
    super(
      `find a Kubernetes control plane: none of its sources has one; install Go, or set KUBEBUILDER_ASSETS to a ` +
        `folder with etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl${reasons.join("")}`,
      options,
    );
    this.failures = failures;
  }
}

/** A component ended unexpectedly. */
export class ComponentExitedError extends ControlPlaneError {
  static override readonly brand: string = "@keelson/controlplane.ComponentExitedError";
  readonly code = "COMPONENT_EXITED";
  readonly component: BinaryName;
  readonly logTail: string;

  constructor(component: BinaryName, how: string, logTail: string) {
    super(`run ${component}: it ended with ${how}; the end of its log:\n${logTail}`);
    this.component = component;
    this.logTail = logTail;
  }
}

/** A component runs but did not become ready in time. */
export class ComponentNotReadyError extends ControlPlaneError {
  static override readonly brand: string = "@keelson/controlplane.ComponentNotReadyError";
  readonly code = "COMPONENT_NOT_READY";
  readonly component: BinaryName;
  readonly logTail: string;

  constructor(component: BinaryName, timeoutMs: number, lastAnswer: string, logTail: string) {
    super(
      `start ${component}: not ready after ${timeoutMs / 1000} s, its last response was ${lastAnswer}; ` +
        `the end of its log:\n${logTail}`,
    );
    this.component = component;
    this.logTail = logTail;
  }
}

/** kubectl ended with a code other than 0. */
export class KubectlError extends ControlPlaneError {
  static override readonly brand: string = "@keelson/controlplane.KubectlError";
  readonly code = "KUBECTL_FAILED";
  readonly exitCode: number | undefined;
  readonly stderr: string;

  constructor(args: readonly string[], exitCode: number | undefined, stderr: string) {
    super(`kubectl ${args.join(" ")}: exit code ${exitCode ?? "none"}; its output: ${stderr.trim()}`);
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

/** The API server refused a request that this package made for its own ends. */
export class ApiRequestError extends ControlPlaneError {
  static override readonly brand: string = "@keelson/controlplane.ApiRequestError";
  readonly code = "API_REQUEST_FAILED";
  readonly status: number;

  constructor(method: string, path: string, status: number, body: string) {
    super(`${method} ${path}: the API server responded with ${status}: ${body}`);
    this.status = status;
  }
}

/** A component was named that this control plane was started without. */
export class UnknownComponentError extends ControlPlaneError {
  static override readonly brand: string = "@keelson/controlplane.UnknownComponentError";
  readonly code = "UNKNOWN_COMPONENT";
  readonly component: BinaryName;

  constructor(component: BinaryName, present: readonly BinaryName[]) {
    super(
      `find ${component}: this control plane runs ${present.join(", ")}; request it in startControlPlane`,
    );
    this.component = component;
  }
}

/** A call to a control plane that was stopped. */
export class ControlPlaneStoppedError extends ControlPlaneError {
  static override readonly brand: string = "@keelson/controlplane.ControlPlaneStoppedError";
  readonly code = "CONTROL_PLANE_STOPPED";

  constructor(folder: string) {
    super(`use the control plane in ${folder}: it was stopped; start another`);
  }
}

/** Every port that control planes may take is claimed. */
export class NoFreePortError extends ControlPlaneError {
  static override readonly brand: string = "@keelson/controlplane.NoFreePortError";
  readonly code = "NO_FREE_PORT";

  constructor(claims: string) {
    super(`claim a port: all are taken; stop control planes, or remove what they left in ${claims}`);
  }
}

/** The API server does not act on rules that it has accepted. */
export class GrantNotInForceError extends ControlPlaneError {
  static override readonly brand: string = "@keelson/controlplane.GrantNotInForceError";
  readonly code = "GRANT_NOT_IN_FORCE";

  constructor(user: string, rule: object) {
    super(
      `grant ${user} the rule ${JSON.stringify(rule)}: the API server still refuses it; is a verb or group misspelt?`,
    );
  }
}
