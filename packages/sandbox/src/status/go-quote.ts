const plain = /^[ !#-[\]-~]*$/;
const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/**
 * Text in quotes, as in messages of the server. A lone surrogate stands for a byte that is not UTF-8 (see `textOfBytes`)
 * and is shown as that byte.
 */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  return `"${Array.from(text, quotedCharacter).join("")}"`;
}

function quotedCharacter(character: string): string {
  const escaped = escapes[character];
  if (escaped !== undefined) return escaped;
  if (printable.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  if (code >= firstByteMark && code <= lastByteMark) return `\\x${hex(code - byteMarks, 2)}`;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

const byteMarks = 0xdc00;
const firstByteMark = byteMarks + 0x80;
const lastByteMark = byteMarks + 0xff;
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes as text; bytes that are not UTF-8 become lone surrogates, so that nothing is lost. */
export function textOfBytes(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes[at] ?? 0);
    const character = decodedSequence(bytes.subarray(at, at + length), length);
    text += character ?? String.fromCharCode(byteMarks + (bytes[at] ?? 0));
    at += character === undefined ? 1 : length;
  }
  return text;
}

function sequenceLength(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

function decodedSequence(bytes: Uint8Array, length: number): string | undefined {
  if (bytes.length < length) return undefined;
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}
