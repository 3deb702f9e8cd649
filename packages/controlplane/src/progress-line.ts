/** Part of a stream to a terminal or a log, such as `process.stderr`. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const logIntervalMs = 10_000;
const fallbackColumns = 80;

/**
 * Shows a person what takes long: on a terminal one line that is written over and over, in a log a line at the start
 * and then one every ten seconds.
 */
export class ProgressLine {
  readonly #stream: ProgressStream;
  readonly #now: () => number;
  #startedAt: number | undefined;
  #loggedAt: number | undefined;

  constructor(stream: ProgressStream, now: () => number = Date.now) {
    this.#stream = stream;
    this.#now = now;
  }

  readonly report = (message: string): void => {
    const now = this.#now();
    this.#startedAt ??= now;
    const line = `${message} (${elapsed(now - this.#startedAt)})`;
    if (this.#stream.isTTY === true) {
      const columns = this.#stream.columns ?? fallbackColumns;
      this.#stream.write(`\r\u001b[K${line.slice(0, columns - 1)}`);
    } else if (this.#loggedAt === undefined || now - this.#loggedAt >= logIntervalMs) {
      this.#loggedAt = now;
      this.#stream.write(`${line}\n`);
    }
  };

  /** Clears the line on a terminal, so that what is printed next starts on an empty one. */
  end(): void {
    if (this.#startedAt !== undefined && this.#stream.isTTY === true) this.#stream.write("\r\u001b[K");
    this.#startedAt = undefined;
  }
}

function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
