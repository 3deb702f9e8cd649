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
import type { ElectionAnswer, ElectionRequest } from "./election-machine.ts";
import type { ElectionRules } from "./election-rules.ts";

/** Makes the requests of an election. Each has a time limit of its own, whatever limits the client has [LE7]. */
export class LeaseRequests {
  readonly #client: Client;
  readonly #rules: ElectionRules;
  readonly #onProblem: (problem: ElectionProblem) => void;

  constructor(client: Client, rules: ElectionRules, onProblem: (problem: ElectionProblem) => void) {
    this.#client = client;
    this.#rules = rules;
    this.#onProblem = onProblem;
  }

  /** Failures become answers [LE9]; an abort throws the signal's reason. */
  async make(request: ElectionRequest, signal: AbortSignal): Promise<ElectionAnswer> {
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

/** A client that repeats by itself may have had answers, such as 503, and only no time for another attempt. */
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
 * A transport through which a client asks once, and repeats nothing. An election has its own times for that: a server
 * that is busy for 6 s and says to come back in 10 would cost a leader that obeyed its lease [LE9].
 */
export function singleAttempt(transport: Transport): Transport {
  return {
    close: () => transport.close(),
    async send(request) {
      try {
        return withoutInvitation(await transport.send(request));
      } catch (error) {
        throw unrepeatable(toError(error));
      }
    },
  };
}

/** A client comes back when it is told when. */
function withoutInvitation(response: TransportResponse): TransportResponse {
  const { "retry-after": _, ...headers } = response.headers;
  return { ...response, headers };
}

/** A client repeats a read if an error, or its direct cause, is a reset connection; so that is a cause of the cause. */
function unrepeatable(error: Error): Error {
  const { message } = error;
  return new Error(message, { cause: new Error(message, { cause: error }) });
}
