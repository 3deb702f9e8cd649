/** How long bytes are counted before they are judged. */
const windowMs = 20;
/** A thousand objects a second, and more. */
const floodBytesPerMs = 2_000;

/** Tells from what arrived in the last moments whether a stream comes in floods, as all objects of a kind do at first. */
export class FloodGauge {
  isFlood = false;
  #sinceMs: number;
  #bytes = 0;

  constructor(nowMs: number) {
    this.#sinceMs = nowMs;
  }

  count(bytes: number, nowMs: number): void {
    this.#bytes += bytes;
    const elapsedMs = nowMs - this.#sinceMs;
    if (elapsedMs < windowMs) return;
    this.isFlood = this.#bytes >= elapsedMs * floodBytesPerMs;
    this.#sinceMs = nowMs;
    this.#bytes = 0;
  }
}
