import { KeelsonError } from "keelson";
import { toError } from "keelson/low-level";
import { type CrdIncompatibility, formatIncompatibility } from "keelson/object";
import { failureInLine } from "../operators/errors.ts";

/** The base of what keeps `keelson run` from running. */
abstract class RunError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.RunError";
}

/** Nothing was named that could be run. */
export class NoOperatorNamedError extends RunError {
  static override readonly brand: string = "@keelson/cli.NoOperatorNamedError";
  readonly code = "NO_OPERATOR_NAMED";

  constructor() {
    super("run: no operator is named; write keelson run OPERATOR, such as ./my-operator.ts, or see --help");
  }
}

/** The API server did not respond. */
export class ServerUnreachableError extends RunError {
  static override readonly brand: string = "@keelson/cli.ServerUnreachableError";
  readonly code = "SERVER_UNREACHABLE";
  readonly server: string;

  constructor(server: string, { cause }: { readonly cause: Error }) {
    super(`reach the API server at ${server}: ${cause.message}`, { cause });
    this.server = server;
  }
}

/** A port could not be opened. */
export class PortError extends RunError {
  static override readonly brand: string = "@keelson/cli.PortError";
  readonly code = "PORT";
  readonly port: number;

  constructor(
    { port, flag }: { readonly port: number; readonly flag: string },
    options: { readonly cause: unknown },
  ) {
    const { code, message }: NodeJS.ErrnoException = toError(options.cause);
    const problem =
      code === "EADDRINUSE" ? "another program listens on it" : `it cannot be opened (${message})`;
    super(`listen on port ${port}: ${problem}; choose another by ${flag}, or -1 for none`, options);
    this.port = port;
  }
}

/** The API server does not know kinds of the operators. */
export class MissingCrdsError extends RunError {
  static override readonly brand: string = "@keelson/cli.MissingCrdsError";
  readonly code = "MISSING_CRDS";
  /** Such as `webapps.example.com/v1`. */
  readonly kinds: readonly string[];

  constructor(kinds: readonly string[], operators: readonly string[]) {
    super(
      `start: the API server does not serve ${kinds.join(", ")}; install the CustomResourceDefinitions by ` +
        `keelson run ${operators.join(" ")} --install-crds`,
    );
    this.kinds = kinds;
  }
}

/** The user that the operators run as may not install their kinds. */
export class CrdsForbiddenError extends RunError {
  static override readonly brand: string = "@keelson/cli.CrdsForbiddenError";
  readonly code = "CRDS_FORBIDDEN";
  /** Such as `webapps.example.com`; undefined if the server does not report it. */
  readonly crd: string | undefined;

  constructor(crd: string | undefined, options: { readonly cause: Error }) {
    super(
      `install ${crd ?? "the CustomResourceDefinitions"}: ${options.cause.message}; grant that, or have an administrator install it, and run without ` +
        "--install-crds",
      options,
    );
    this.crd = crd;
  }
}

/** The kinds of the operators would break objects or clients of those that are installed. */
export class CrdsIncompatibleError extends RunError {
  static override readonly brand: string = "@keelson/cli.CrdsIncompatibleError";
  readonly code = "CRDS_INCOMPATIBLE";

  constructor(incompatibilities: readonly CrdIncompatibility[], options: { readonly cause: Error }) {
    const lines = incompatibilities.map(formatIncompatibility);
    super(
      "install the CustomResourceDefinitions: stored objects or clients would break; keep the schemas compatible, " +
        `or overrule this by --allow-incompatible-crds\n  ${lines.join("\n  ")}`,
      options,
    );
  }
}

/** The concurrency is set of kinds that no controller reconciles. */
export class UnknownKindsError extends RunError {
  static override readonly brand: string = "@keelson/cli.UnknownKindsError";
  readonly code = "UNKNOWN_KINDS";
  /** Such as `WebApp.example.com`. */
  readonly kinds: readonly string[];

  constructor(kinds: readonly string[], known: readonly string[], meant: readonly string[]) {
    const choice = known.length === 0 ? "they reconcile no kind at all" : `there are ${known.join(", ")}`;
    const guess = meant.length === 0 ? "" : `; did you mean ${meant.join(", ")}?`;
    super(
      `set --concurrency: no controller of these operators reconciles ${kinds.join(", ")}; ${choice}${guess}`,
    );
    this.kinds = kinds;
  }
}

/** An operator could not be added to the manager. */
export class OperatorSetupError extends RunError {
  static override readonly brand: string = "@keelson/cli.OperatorSetupError";
  readonly code = "OPERATOR_SETUP";
  readonly operator: string;

  constructor(operator: string, options: { readonly cause: unknown }) {
    const cause = toError(options.cause);
    const what = cause instanceof KeelsonError ? cause.message : failureInLine(cause);
    super(`set up operator ${operator}: ${what}`, { cause });
    this.operator = operator;
  }
}

/** An operator has webhooks, and no setting names the address at which the API server reaches them. */
export class WebhooksNotConfiguredError extends RunError {
  static override readonly brand: string = "@keelson/cli.WebhooksNotConfiguredError";
  readonly code = "WEBHOOKS_NOT_CONFIGURED";

  constructor(operator: string, options: ErrorOptions) {
    super(
      `set up operator ${operator}: it has webhooks, and no setting names the address at which the API server reaches them; ` +
        "set --webhook-service, --webhook-url or --webhook-cert-dir, or leave them out by --webhook-port -1",
      options,
    );
  }
}
