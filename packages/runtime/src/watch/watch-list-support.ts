/** After this long the server may have been upgraded, and one watch-list is tried again. */
const rememberedMs = 3_600_000;

/**
 * Whether a server ignores watch-lists [RF21], shared by the reflectors of that server: it takes one of them a while to
 * find out, and the others do not try. Times are those of a monotonic clock.
 */
export class WatchListSupport {
  #ignoredAtMs: number | undefined;

  /** The server has responded to a watch-list with an ordinary watch. */
  isIgnored(nowMs: number): boolean {
    return this.#ignoredAtMs !== undefined && nowMs - this.#ignoredAtMs < rememberedMs;
  }

  /** Remembers that the server ignores watch-lists. True the first time. */
  rememberIgnored(nowMs: number): boolean {
    const isNew = this.#ignoredAtMs === undefined;
    this.#ignoredAtMs = nowMs;
    return isNew;
  }
}
