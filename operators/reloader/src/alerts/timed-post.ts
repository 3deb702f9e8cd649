import type { Clock } from "keelson";
import { AddressRefusedError, type OutgoingPost, PostError, type PostResponse } from "keelson/client";
import { abortable, errorCode, toError } from "keelson/low-level";
import { privateAddressProblem } from "./alert-url.ts";

/** Sends one POST; `sendPost` of the client. */
export type SendPost = (post: OutgoingPost) => Promise<PostResponse>;

/** How an attempt to send something ended. A problem contains neither the URL nor text of the endpoint. */
export type Attempt =
  | { readonly isSent: true }
  | {
      readonly isSent: false;
      readonly problem: string /** Another attempt may succeed. */;
      readonly isTransient: boolean;
    };

/**
 * Makes one attempt, which must end within the time given. Redirects are not followed and response bodies are not read.
 * Every status of 2xx is success. Whatever goes wrong is the result; throws only the signal's reason.
 */
export async function attemptWithin(
  timeoutMs: number,
  clock: Clock,
  signal: AbortSignal,
  attempt: (signal: AbortSignal) => Promise<Attempt>,
): Promise<Attempt> {
  const timeout = new AbortController();
  const cancel = clock.schedule(timeoutMs, () => timeout.abort());
  const either = AbortSignal.any([signal, timeout.signal]);
  try {
    // Also if an attempt does not end with its signal.
    return await abortable(attempt(either), either);
  } catch (error) {
    signal.throwIfAborted();
    return timeout.signal.aborted
      ? failure(`the endpoint did not respond within ${timeoutMs / 1000} s`, true)
      : failureOf(error);
  } finally {
    cancel();
  }
}

/** Sends one POST as a part of an attempt. */
export async function post(sendPost: SendPost, outgoing: OutgoingPost): Promise<Attempt> {
  const { status } = await sendPost({ ...outgoing, followRedirects: false, mostResponseBytes: 0 });
  if (status >= 200 && status <= 299) return { isSent: true };
  const isRedirect = status >= 300 && status <= 399;
  return failure(
    `the endpoint responded with ${status}${isRedirect ? ", and redirects are not followed" : ""}`,
    status >= 500 || status === 408 || status === 425 || status === 429,
  );
}

/** An attempt that failed. */
export function failure(problem: string, isTransient: boolean): Attempt {
  return { isSent: false, problem, isTransient };
}

/** Texts of errors may contain the URL or its host, so only codes and names are taken from them. */
function failureOf(caught: unknown): Attempt {
  const cause = caught instanceof PostError ? caught.cause : caught;
  if (cause instanceof AddressRefusedError)
    return failure(`the URL cannot be used: ${privateAddressProblem}`, false);
  const what = caught instanceof PostError ? "the endpoint was not reached" : "it could not be sent";
  return failure(`${what}: ${errorCode(cause) ?? toError(cause).name}`, true);
}
