import { KeelsonError } from "@keelson/core";

/** Text that is not JSON; the message is in the words of the API server's decoder. */
export class JsonSyntaxError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.JsonSyntaxError";
  readonly code = "JSON_SYNTAX";
}

export function unexpectedEnd(): JsonSyntaxError {
  return new JsonSyntaxError("unexpected end of JSON input");
}

/** A character where it cannot be; `where` such as `after object key`. */
export function invalidCharacter(character: string, where: string): JsonSyntaxError {
  return new JsonSyntaxError(`invalid character ${quotedCharacter(character)} ${where}`);
}

const escapes: Readonly<Record<string, string>> = {
  "'": "\\'",
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\b": "\\b",
  "\f": "\\f",
  "\v": "\\v",
  "\x07": "\\a",
};

/** The decoder works on bytes: of other characters than ASCII ones it names the first byte. */
function quotedCharacter(character: string): string {
  const byte = firstByte(character);
  const shown = String.fromCharCode(byte);
  const isPrintable = byte >= 0x20 && byte !== 0x7f && !(byte >= 0x80 && byte <= 0xa0) && byte !== 0xad;
  const hex = byte.toString(16).padStart(2, "0");
  const escaped = byte >= 0x80 ? `\\u00${hex}` : `\\x${hex}`;
  return `'${escapes[shown] ?? (isPrintable ? shown : escaped)}'`;
}

function firstByte(character: string): number {
  const codePoint = character.codePointAt(0) ?? 0;
  if (codePoint < 0x80) return codePoint;
  if (codePoint < 0x800) return 0xc0 | (codePoint >> 6);
  return codePoint < 0x10000 ? 0xe0 | (codePoint >> 12) : 0xf0 | (codePoint >> 18);
}
