import { ClientError } from "../errors.ts";

/** The base of everything that keeps a program from knowing which cluster to talk to, or as whom. */
export abstract class ConfigError extends ClientError {
  static override readonly brand: string = "@keelson/client.ConfigError";
}

export interface KubeconfigProblem {
  /** The file, or the files in the notation of KUBECONFIG; left out for a kubeconfig that was made in memory. */
  readonly file?: string;
  readonly context?: string;
  readonly problem: string;
  /** What to do about it. */
  readonly advice: string;
}

/** A kubeconfig was found and cannot be used. Never holds a value from the file that could be a secret. */
export class KubeconfigError extends ConfigError {
  static override readonly brand: string = "@keelson/client.KubeconfigError";
  readonly code = "INVALID_KUBECONFIG";
  readonly file: string | undefined;
  readonly context: string | undefined;
  readonly problem: string;
  readonly advice: string;

  constructor({ file, context, problem, advice }: KubeconfigProblem, options?: ErrorOptions) {
    const where = file === undefined ? "kubeconfig" : `kubeconfig ${file}`;
    const action = context === undefined ? `read ${where}` : `use context ${context} of ${where}`;
    super(`${action}: ${problem}; ${advice}`, options);
    this.file = file;
    this.context = context;
    this.problem = problem;
    this.advice = advice;
  }
}

/** None of the files that could have been a kubeconfig exists. */
export class KubeconfigNotFoundError extends ConfigError {
  static override readonly brand: string = "@keelson/client.KubeconfigNotFoundError";
  readonly code = "KUBECONFIG_NOT_FOUND";
  readonly files: readonly string[];

  constructor(files: readonly string[]) {
    const what =
      files.length === 0 ? "there is no home folder to look in" : `no file ${files.join(", no file ")}`;
    super(`find a kubeconfig: ${what}; set KUBECONFIG to the path of one`);
    this.files = files;
  }
}

/** The program does not run in a pod, or in one without a ServiceAccount's files. */
export class NotInClusterError extends ConfigError {
  static override readonly brand: string = "@keelson/client.NotInClusterError";
  readonly code = "NOT_IN_CLUSTER";

  constructor(problem: string, options?: ErrorOptions) {
    super(
      `use in-cluster configuration: ${problem}; run in a pod with automountServiceAccountToken, or use a kubeconfig`,
      options,
    );
  }
}

/** The files of a pod's ServiceAccount are there and are not what they should be; another cluster is not meant. */
export class InClusterError extends ConfigError {
  static override readonly brand: string = "@keelson/client.InClusterError";
  readonly code = "IN_CLUSTER_INVALID";

  constructor(problem: string, options?: ErrorOptions) {
    super(
      `use in-cluster configuration: ${problem}; look at what mounts the ServiceAccount's files`,
      options,
    );
  }
}

/** A token or a password cannot be sent: it holds a line break or another character that a header may not. */
export class UnsendableCredentialError extends ConfigError {
  static override readonly brand: string = "@keelson/client.UnsendableCredentialError";
  readonly code = "UNSENDABLE_CREDENTIAL";

  constructor() {
    super(
      "authenticate: the token or password holds a line break or a character that a header may not; write it anew",
    );
  }
}

/** One place where a cluster could have been configured, and why it was not. */
export interface FailedSource {
  readonly source: string;
  readonly reason: string;
}

/** No cluster is configured anywhere. */
export class NoClusterConfiguredError extends ConfigError {
  static override readonly brand: string = "@keelson/client.NoClusterConfiguredError";
  readonly code = "NO_CLUSTER_CONFIGURED";
  readonly tried: readonly FailedSource[];

  constructor(tried: readonly FailedSource[]) {
    const lines = tried.map(({ source, reason }) => `\n  - ${source}: ${reason}`);
    super(`find a cluster: none is configured; set KUBECONFIG, or run in a pod; tried:${lines.join("")}`);
    this.tried = tried;
  }
}

/** What went wrong with an exec plugin. */
export type ExecFailure =
  | "command-not-found"
  | "cannot-start"
  | "exit-code"
  | "killed"
  | "timeout"
  | "too-much-output"
  | "not-json"
  | "wrong-kind"
  | "wrong-version"
  | "invalid-credential"
  | "needs-terminal";

export interface ExecProblem {
  readonly failure: ExecFailure;
  readonly problem: string;
  /** What to do about it. */
  readonly advice: string;
  readonly exitCode?: number;
  /** The end of what the plugin wrote to its standard error, without what could be a secret. */
  readonly stderr?: string;
}

/** An exec plugin did not give credentials. Never holds what the plugin printed on its standard output. */
export class ExecCredentialError extends ConfigError {
  static override readonly brand: string = "@keelson/client.ExecCredentialError";
  readonly code = "EXEC_CREDENTIAL_FAILED";
  readonly user: string;
  readonly command: string;
  readonly failure: ExecFailure;
  readonly exitCode: number | undefined;
  readonly stderr: string;

  constructor(
    user: string,
    command: string,
    { failure, problem, advice, exitCode, stderr = "" }: ExecProblem,
  ) {
    const said = stderr === "" ? "" : `; it said:\n${stderr}`;
    super(`get credentials of user ${user} from ${command}: ${problem}; ${advice}${said}`);
    this.user = user;
    this.command = command;
    this.failure = failure;
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

/** Why a setting cannot be used, and what to do about it. Never quotes a value that could hold a secret. */
export class SettingProblem extends Error {
  readonly advice: string;

  constructor(problem: string, advice: string) {
    super(problem);
    this.advice = advice;
  }
}
