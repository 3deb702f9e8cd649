import { type Clock, KeelsonError } from "keelson";

/** Something took too long, and was ended. */
class TimeLimitError extends KeelsonError {
  static override readonly brand: string = "@keelson/azimuth-capi.TimeLimitError";
  readonly code = "TIME_LIMIT";

  constructor(limitMs: number) {
    super(`it took longer than ${limitMs / 1000} s`);
  }
}

/** Runs code whose signal aborts, with a TimeLimitError as its reason, when the time is over. */
export async function withTimeLimit<Result>(
  {
    clock,
    limitMs,
    signal,
  }: { readonly clock: Clock; readonly limitMs: number; readonly signal: AbortSignal },
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const end = new AbortController();
  const cancel = clock.schedule(limitMs, () => end.abort(new TimeLimitError(limitMs)));
  try {
    return await run(AbortSignal.any([signal, end.signal]));
  } catch (error) {
    signal.throwIfAborted();
    end.signal.throwIfAborted();
    throw error;
  } finally {
    cancel();
  }
}
