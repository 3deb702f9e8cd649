import { tooLarge } from "./refusals.ts";

/** The most that the body of a request may have. */
export const bodyLimit: number = 3 * 1024 * 1024;

/** Reads a body to its end. Throws ApiError as soon as it is too large. */
export async function readBody(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > bodyLimit) throw tooLarge(bodyLimit);
    chunks.push(chunk);
  }
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size);
}

const decoder = new TextDecoder();

export function bodyText(body: Uint8Array): string {
  return decoder.decode(body);
}
