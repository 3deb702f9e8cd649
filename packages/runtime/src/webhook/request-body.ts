import { abortable } from "@keelson/core";

/** How much of all bodies together a server holds at once. Whoever takes a share gives it back when it is answered. */
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

/** What one request holds. Must be disposed of. */
export interface BodyShare extends Disposable {
  /** Whether there is room for so many bytes more; if so, they are held. */
  take(bytes: number): boolean;
}

export interface BodyLimits {
  readonly maxBytes: number;
  readonly share: BodyShare;
  /** Reading ends when it aborts, with its reason. */
  readonly signal: AbortSignal;
}

/** It is larger than allowed, or the server holds as much as it may. */
export type BodyProblem = "too large" | "no room";

/** The body, or why there is none. */
export type BodyReading =
  | { readonly bytes: Buffer; readonly problem?: never }
  | { readonly problem: BodyProblem; readonly bytes?: never };

/** Reads a body, and no more of it than there is room for. */
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

/** Parameters such as a charset say nothing new about JSON. */
export function isJson(contentType: string | undefined): boolean {
  return contentType?.split(";")[0]?.trim().toLowerCase() === "application/json";
}
