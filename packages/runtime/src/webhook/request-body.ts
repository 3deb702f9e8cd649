import { abortable } from "@keelson/core";

/** Limits the memory for all request bodies of a server. A request disposes of its share after its response. */
export class BodyBudget {
  readonly #maxBytes: number;
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  share(): BodyShare {
    let bytes = 0;
    return {
      take: (more) => {
        if (this.#heldBytes + more > this.#maxBytes) return false;
        this.#heldBytes += more;
        bytes += more;
        return true;
      },
      [Symbol.dispose]: () => {
        this.#heldBytes -= bytes;
        bytes = 0;
      },
    };
  }
}

/** The memory of one request. Must be disposed of. */
export interface BodyShare extends Disposable {
  /** Reserves more bytes; false if that would exceed the limit. */
  take(bytes: number): boolean;
}

/** The limits for one body. */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly share: BodyShare;
  /** Reading ends when it aborts, with its reason. */
  readonly signal: AbortSignal;
}

/** The body exceeds its own limit, or that of the server. */
export type BodyProblem = "too large" | "no room";

/** The body, or why it was not read. */
export type BodyReading =
  | { readonly bytes: Buffer; readonly problem?: never }
  | { readonly problem: BodyProblem; readonly bytes?: never };

/** Reads a body up to its limits. */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  { maxBytes, share, signal }: BodyLimits,
): Promise<BodyReading> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const source = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await abortable(source.next(), signal);
      if (done === true) return { bytes: Buffer.concat(chunks) };
      bytes += value.length;
      if (bytes > maxBytes) return { problem: "too large" };
      if (!share.take(value.length)) return { problem: "no room" };
      chunks.push(value);
    }
  } finally {
    // Not awaited: it would wait for the client, which may never send the rest.
    source.return?.().catch(() => undefined);
  }
}

/** Whether a content type is JSON; parameters such as a charset are ignored. */
export function isJson(contentType: string | undefined): boolean {
  return contentType?.split(";")[0]?.trim().toLowerCase() === "application/json";
}
