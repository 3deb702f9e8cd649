const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const minus = 0x2d;
const plus = 0x2b;
const dot = 0x2e;
const zero = 0x30;
const nine = 0x39;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;

/** What the functions of this file return for bytes that are not JSON. */
export const notJson = -1;

/** Values that are nested deeper are not scanned. */
const deepest = 200;
/** What closes each object and array that is open, the outermost at 1. Valid only while `skipValue` runs. */
const closers = new Uint8Array(deepest + 1);

/** 1 for the bytes that stand for themselves in a string. */
const isPlain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === quote || byte === backslash ? 0 : 1,
);
/** What may follow a backslash, apart from `u`. */
const escapes: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));

/**
 * Where the JSON value that begins at `start` is over, or `notJson`. It accepts nothing that JSON.parse would refuse,
 * so a value that was skipped this way can be parsed later. A value that is nested too deeply is `notJson` as well.
 *
 * The last byte has to be a 0, at which everything here stops: one access beyond the end would make all later ones slow.
 */
export function skipValue(bytes: Uint8Array, start: number): number {
  let depth = 0;
  let position = start;
  for (;;) {
    const byte = byteAt(bytes, position);
    if (byte === openBrace || byte === openBracket) {
      // The codes of the brackets that close are two above those that open.
      const closer = byte + 2;
      position = skipSpace(bytes, position + 1);
      if (byteAt(bytes, position) === closer) {
        position += 1;
      } else {
        depth += 1;
        if (depth > deepest) return notJson;
        closers[depth] = closer;
        if (closer === closeBrace) position = skipKey(bytes, position);
        if (position === notJson) return notJson;
        continue;
      }
    } else {
      position = byte === quote ? skipString(bytes, position) : skipPlainValue(bytes, position, byte);
      if (position === notJson) return notJson;
    }
    // A value is over, and with it perhaps what it is in.
    for (; depth > 0; depth -= 1) {
      position = skipSpace(bytes, position);
      if (byteAt(bytes, position) !== closers[depth]) break;
      position += 1;
    }
    if (depth === 0) return position;
    if (byteAt(bytes, position) !== comma) return notJson;
    position = skipSpace(bytes, position + 1);
    if (closers[depth] === closeBrace) position = skipKey(bytes, position);
    if (position === notJson) return notJson;
  }
}

/** Where the value begins whose key begins at `start`. */
function skipKey(bytes: Uint8Array, start: number): number {
  if (byteAt(bytes, start) !== quote) return notJson;
  const end = skipString(bytes, start);
  if (end === notJson) return notJson;
  const position = skipSpace(bytes, end);
  return byteAt(bytes, position) === colon ? skipSpace(bytes, position + 1) : notJson;
}

function skipString(bytes: Uint8Array, start: number): number {
  let position = start + 1;
  for (;;) {
    let byte = byteAt(bytes, position);
    // Nearly all bytes pass through here, so this loop does nothing else.
    while (isPlain[byte] === 1) {
      position += 1;
      byte = byteAt(bytes, position);
    }
    if (byte === quote) return position + 1;
    // Control characters are not allowed in strings, so this is also where the 0 at the end is found.
    if (byte !== backslash) return notJson;
    position = skipEscape(bytes, position + 1);
    if (position === notJson) return notJson;
  }
}

/** The first position from `start` on that is not space, tab, line feed or carriage return. */
export function skipSpace(bytes: Uint8Array, start: number): number {
  let position = start;
  for (let byte = byteAt(bytes, position); byte <= 0x20 && byte !== 0; byte = byteAt(bytes, position)) {
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return position;
    position += 1;
  }
  return position;
}

export function byteAt(bytes: Uint8Array, position: number): number {
  return bytes[position] ?? 0;
}

/** The position after what follows a backslash. */
function skipEscape(bytes: Uint8Array, position: number): number {
  const letter = byteAt(bytes, position);
  if (escapes.has(letter)) return position + 1;
  if (letter !== 0x75) return notJson;
  for (let digit = position + 1; digit <= position + 4; digit += 1) {
    if (!isHexDigit(byteAt(bytes, digit))) return notJson;
  }
  return position + 5;
}

/** A number, true, false or null. */
function skipPlainValue(bytes: Uint8Array, start: number, first: number): number {
  return first === minus || isDigit(first) ? skipNumber(bytes, start) : skipWord(bytes, start, first);
}

function skipNumber(bytes: Uint8Array, start: number): number {
  const first = byteAt(bytes, start) === minus ? start + 1 : start;
  let position = byteAt(bytes, first) === zero ? first + 1 : skipDigits(bytes, first);
  if (position !== notJson && byteAt(bytes, position) === dot) position = skipDigits(bytes, position + 1);
  if (position === notJson || (byteAt(bytes, position) | 0x20) !== 0x65) return position;
  const sign = byteAt(bytes, position + 1);
  return skipDigits(bytes, sign === plus || sign === minus ? position + 2 : position + 1);
}

/** At least one. */
function skipDigits(bytes: Uint8Array, start: number): number {
  let position = start;
  while (isDigit(byteAt(bytes, position))) position += 1;
  return position === start ? notJson : position;
}

function skipWord(bytes: Uint8Array, start: number, letter: number): number {
  const word = letter === 0x74 ? "true" : letter === 0x66 ? "false" : letter === 0x6e ? "null" : "";
  if (word === "") return notJson;
  for (let index = 1; index < word.length; index += 1) {
    if (byteAt(bytes, start + index) !== word.charCodeAt(index)) return notJson;
  }
  return start + word.length;
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine;
}

function isHexDigit(byte: number): boolean {
  const lowerCase = byte | 0x20;
  return isDigit(byte) || (lowerCase >= 0x61 && lowerCase <= 0x66);
}
