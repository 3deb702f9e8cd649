import type { TransportRequest } from "@keelson/core";

/** A control plane, as a case sees it: either the embedded one or the real one. */
export interface World {
  /** Sends a request and reads the whole response. */
  request(request: WorldRequest): Promise<Reply>;
  /** Reads a stream of lines until there are so many, or the server ends it. */
  stream(path: string, lines: number, headers?: Readonly<Record<string, string>>): Promise<StreamReply>;
  /** Runs the pinned kubectl as the administrator; a failure is a result like any other. */
  kubectl(args: readonly string[], options?: KubectlRun): Promise<KubectlResult>;
  /** Makes a user that may do nothing yet; gives its name as `user` of a request. */
  addUser(name: string, groups?: readonly string[]): Promise<void>;
}

export interface WorldRequest {
  readonly method: TransportRequest["method"];
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * Default: the administrator. `anonymous` sends no credentials, `stranger` a certificate that an unknown authority has
   * signed.
   */
  readonly user?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface StreamReply {
  readonly status: number;
  readonly lines: readonly string[];
  /** Whether the server ended the stream before there were enough lines. */
  readonly ended: boolean;
}

export interface KubectlRun {
  readonly input?: string;
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface KubectlResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}
