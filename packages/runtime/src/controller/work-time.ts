import type { Caller } from "@keelson/client";

/**
 * How much of its time a run may have kept the event loop to itself. While it waits for the API server it does not;
 * everything else is taken for work, since only the reconciler knows what else it waits for.
 */
export class WorkTime {
  readonly #nowMs: () => number;
  /** Since when it may be at work; undefined while it waits for the server. */
  #sinceMs: number | undefined;
  #workedMs = 0;
  /** How many answers have come: the reconciler goes on with each. */
  #answers = 0;

  constructor(startedMs: number, nowMs: () => number) {
    this.#sinceMs = startedMs;
    this.#nowMs = nowMs;
  }

  /** Since it was last asked for. */
  takeMs(nowMs: number): number {
    const isAtWork = this.#sinceMs !== undefined;
    this.#endStretch(nowMs);
    const taken = this.#workedMs;
    this.#workedMs = 0;
    if (isAtWork) this.#sinceMs = nowMs;
    return taken;
  }

  /** Of the client that the reconciler calls. */
  layer(next: Caller): Caller {
    return {
      json: (call) => this.#untilAnswered(next.json(call)),
      stream: (call) => next.stream(call),
      raw: (call) => this.#untilAnswered(next.raw(call)),
    };
  }

  async #untilAnswered<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const answers = this.#answers;
    // It goes on after the call until it waits: only then is it the turn of this.
    queueMicrotask(() => {
      if (this.#answers === answers) this.#endStretch(this.#nowMs());
    });
    try {
      return await answer;
    } finally {
      this.#answers++;
      this.#sinceMs ??= this.#nowMs();
    }
  }

  #endStretch(nowMs: number): void {
    if (this.#sinceMs !== undefined) this.#workedMs += nowMs - this.#sinceMs;
    this.#sinceMs = undefined;
  }
}
