import type { Clock, Random } from "keelson";
import { isPublicAddress, sleep } from "keelson/low-level";
import { type AlertUrlPolicy, type ReadSecret, resolveUrl, type UrlSource } from "./alert-url.ts";
import type { Payload } from "./payload.ts";
import { type Attempt, attemptWithin, failure, post, type SendPost } from "./timed-post.ts";

/** What it takes to send an alert. */
export interface SendDependencies {
  readonly sendPost: SendPost;
  readonly readSecret: ReadSecret;
  readonly clock: Clock;
  readonly random: Random;
  /** The proxy of all alerts; undefined for none. */
  readonly proxyUrl: string | undefined;
  /** How long one attempt may take. */
  readonly timeoutMs: number;
  /** How many attempts there are at most. */
  readonly attempts: number;
}

/** One alert for one channel. */
export interface OutgoingAlert {
  readonly url: UrlSource;
  readonly urls: AlertUrlPolicy;
  readonly payload: Payload;
}

const firstDelayMs = 1_000;
const longestDelayMs = 60_000;

/**
 * Sends an alert, if need be in several attempts with a growing delay between them, each drawn from [d, 2d) so that channels of one
 * endpoint do not repeat together. An endpoint that is not reached or does not respond in time, and the statuses 408, 425,
 * 429 and 5xx, are worth another attempt; other statuses, and URLs that must not be called, are not. Throws only the
 * signal's reason.
 */
export async function sendAlert(
  alert: OutgoingAlert,
  dependencies: SendDependencies,
  /** Is called before each further attempt. */
  onRetry: () => void,
  signal: AbortSignal,
): Promise<Attempt> {
  const { clock, random, timeoutMs } = dependencies;
  for (let attempts = 1; ; attempts++) {
    const attempt = await attemptWithin(timeoutMs, clock, signal, (either) =>
      sendOnce(alert, dependencies, either),
    );
    if (attempt.isSent || !attempt.isTransient || attempts >= dependencies.attempts) return attempt;
    onRetry();
    const delayMs = Math.min(firstDelayMs * 2 ** (attempts - 1), longestDelayMs);
    await sleep(clock, delayMs + random.next() * delayMs, signal);
  }
}

async function sendOnce(
  { url: source, urls, payload }: OutgoingAlert,
  { sendPost, readSecret, proxyUrl }: SendDependencies,
  signal: AbortSignal,
): Promise<Attempt> {
  const { url, problem } = await resolveUrl(source, urls, readSecret, signal);
  if (problem !== undefined) return failure(problem, false);
  return post(sendPost, {
    ...{ url, ...payload, signal },
    ...(!urls.allowPrivateAddresses && { acceptAddress: isPublicAddress }),
    ...(proxyUrl !== undefined && { proxyUrl }),
  });
}
