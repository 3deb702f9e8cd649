import { type TransportResponse, toError } from "@keelson/core";
import { ArrivedBytes } from "./arrived-bytes.ts";
import { type BodyFraming, bodyFraming } from "./body-framing.ts";
import { MalformedHttpError, parseResponseHead } from "./response-head.ts";

const endOfHead = "\r\n\r\n";
const longestHead = 1 << 18;

/** The response to a request, as it is read from its connection. */
export class StreamedResponse {
  readonly body: ArrivedBytes = new ArrivedBytes();
  readonly gauge: BurstDetector = new BurstDetector(performance.now());
  readonly #head = Promise.withResolvers<Omit<TransportResponse, "body">>();
  /** What has come of the head, while it is not complete. */
  #beginning = Buffer.alloc(0);
  #framing: BodyFraming | undefined;

  constructor() {
    // The code that opens the connection gets its errors first.
    this.#head.promise.catch(() => undefined);
  }

  get head(): Promise<Omit<TransportResponse, "body">> {
    return this.#head.promise;
  }

  /** Takes what has arrived; false if no more is to be read for now. */
  read(bytes: Buffer): boolean {
    // What follows the end, or malformed bytes, has no use.
    if (this.body.hasEnded) return false;
    try {
      if (this.#framing === undefined) this.#readHead(bytes);
      else this.#readBody(this.#framing, bytes);
    } catch (error) {
      this.fail(toError(error));
    }
    // A server that sends each event on its own wakes the process for each. In a burst a short pause, which is not noticed, lets
    // the connection gather a few dozen for one reading.
    return !this.body.isFull && (!this.gauge.isBurst || this.body.isEmpty);
  }

  /** The first failure counts, and none after the end. */
  fail(error: Error): void {
    this.#head.reject(error);
    this.body.end(error);
  }

  connectionEnded(): void {
    if (this.#framing?.endsWithConnection === true) this.body.end();
    else this.fail(connectionReset());
  }

  #readHead(bytes: Buffer): void {
    const all = Buffer.concat([this.#beginning, bytes]);
    const end = all.indexOf(endOfHead);
    if (end === -1) {
      if (all.length > longestHead) throw new MalformedHttpError("its head has no end");
      this.#beginning = all;
      return;
    }
    const head = parseResponseHead(all.toString("latin1", 0, end));
    const rest = all.subarray(end + endOfHead.length);
    this.#beginning = Buffer.alloc(0);
    // An interim response, such as 103; another protocol was not requested.
    if (head.status < 200) {
      if (rest.length > 0) this.#readHead(rest);
      return;
    }
    this.#framing = bodyFraming(head);
    this.#head.resolve(head);
    this.#readBody(this.#framing, rest);
  }

  #readBody(framing: BodyFraming, bytes: Buffer): void {
    framing.read(bytes, (part) => this.body.add(part));
    if (framing.isOver) this.body.end();
  }
}

function connectionReset(): Error {
  const error = new Error("the connection was closed before the end of the response");
  return Object.assign(error, { code: "ECONNRESET" });
}

/** How long bytes are counted before they are judged. */
const windowMs = 20;
/** A thousand objects a second, and more. */
const burstBytesPerMs = 2_000;

/** Detects from the bytes of the last moments whether a stream arrives in a burst, as all objects of a kind do at first. */
export class BurstDetector {
  isBurst = false;
  #sinceMs: number;
  #bytes = 0;

  constructor(nowMs: number) {
    this.#sinceMs = nowMs;
  }

  count(bytes: number, nowMs: number): void {
    this.#bytes += bytes;
    const elapsedMs = nowMs - this.#sinceMs;
    if (elapsedMs < windowMs) return;
    this.isBurst = this.#bytes >= elapsedMs * burstBytesPerMs;
    this.#sinceMs = nowMs;
    this.#bytes = 0;
  }
}
