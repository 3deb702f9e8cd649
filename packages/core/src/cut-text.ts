const ellipsis = "…";

/**
 * The text, or as much of it as fits into so many bytes of UTF-8: no character is cut in half, and an
 * ellipsis marks that text was cut off. There must be room for the ellipsis.
 */
export function cutText(text: string, mostBytes: number): string {
  const encoder = new TextEncoder();
  // A character of UTF-16 takes three bytes at most.
  if (text.length * 3 <= mostBytes || encoder.encode(text).length <= mostBytes) return text;
  const room = mostBytes - encoder.encode(ellipsis).length;
  const { read } = encoder.encodeInto(text, new Uint8Array(room));
  return text.slice(0, read) + ellipsis;
}
