import { type Transport, type TransportResponse, toError } from "@keelson/core";

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
