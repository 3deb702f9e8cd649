import {
  type Client,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  RequestTimeoutError,
} from "@keelson/client";
import { type Transport, type TransportResponse, toError } from "@keelson/core";
import { Lease } from "@keelson/core/kinds/coordination/v1";
import type { ElectionProblem } from "./election-loop.ts";
import type { ElectionRequest, ElectionResponse } from "./election-machine.ts";
import type { ElectionRules } from "./election-rules.ts";

/** Sends the requests of an election. Each has a time limit of its own, whatever the limit of the client is [LE7]. */
export class LeaseRequests {
  readonly #client: Client;
  readonly #rules: ElectionRules;
  readonly #onProblem: (problem: ElectionProblem) => void;

  constructor(client: Client, rules: ElectionRules, onProblem: (problem: ElectionProblem) => void) {
    this.#client = client;
    this.#rules = rules;
    this.#onProblem = onProblem;
  }

  /** A failure becomes a response of type `failed` [LE9]; an abort throws the signal's reason. */
  async make(request: ElectionRequest, signal: AbortSignal): Promise<ElectionResponse> {
    try {
      return { type: "lease", lease: await this.#send(request, signal) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (request.type === "get" && error instanceof NotFoundError) return { type: "notFound" };
      this.#onProblem({ kind: kindOf(error), message: messageOf(toError(error)) });
      return { type: "failed" };
    }
  }

  #send(request: ElectionRequest, signal: AbortSignal): Promise<Lease> {
    const options = { signal, timeoutMs: this.#rules.requestTimeoutMs };
    switch (request.type) {
      case "get":
        return this.#client.get(Lease, this.#rules.lease, options);
      case "create":
        return this.#client.create(Lease, request.lease, options);
      case "update":
        return this.#client.update(Lease, request.lease, options);
    }
  }
}

/** A client that retries may have received responses, such as 503, before its time was over; the message names the last. */
function messageOf(error: Error): string {
  const { cause } = error;
  const isExplained =
    error instanceof RequestTimeoutError && cause instanceof Error && cause.cause !== undefined;
  return isExplained ? `${error.message} (${cause.message})` : error.message;
}

function kindOf(error: unknown): ElectionProblem["kind"] {
  if (error instanceof ForbiddenError) return "forbidden";
  return error instanceof ConflictError ? "conflict" : "other";
}

/**
 * A transport that keeps a client from retrying. An election has its own schedule: a leader that obeyed a `retry-after`
 * of 10 s would lose its Lease [LE9].
 */
export function singleAttempt(transport: Transport): Transport {
  return {
    close: () => transport.close(),
    async send(request) {
      try {
        return withoutRetryAfter(await transport.send(request));
      } catch (error) {
        throw notRetryable(toError(error));
      }
    },
  };
}

/** A client retries a response that has this header. */
function withoutRetryAfter(response: TransportResponse): TransportResponse {
  const { "retry-after": _, ...headers } = response.headers;
  return { ...response, headers };
}

/** A client retries a read if the error or its cause is a reset connection, so that error becomes the cause of the cause. */
function notRetryable(error: Error): Error {
  const { message } = error;
  return new Error(message, { cause: new Error(message, { cause: error }) });
}
