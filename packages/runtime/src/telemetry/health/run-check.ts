import { abortable, type Clock, toError } from "@keelson/core";
import { HealthCheckTimeoutError } from "./errors.ts";
import type { NamedHealthCheck } from "./health-checks.ts";

/** Why the check failed; undefined if all is well. Never takes longer than the check's time limit. */
export async function runCheck(
  { name, check, timeoutMs }: NamedHealthCheck,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Error | undefined> {
  const limit = new AbortController();
  const cancel = clock.schedule(timeoutMs, () => limit.abort(new HealthCheckTimeoutError(name, timeoutMs)));
  const either = AbortSignal.any([limit.signal, signal]);
  try {
    await abortable(
      (async () => {
        await check(either);
      })(),
      either,
    );
    return undefined;
  } catch (caught) {
    return toError(caught);
  } finally {
    cancel();
    // A check that is still under way learns that nobody waits for it.
    limit.abort(new Error(`health check ${name} has been answered`));
  }
}
