import type { KubeObject } from "@keelson/core";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Cuts `object.metadata.managedFields` out of a line of a watch, before it is parsed: it is often half of the line, and
 * what is not parsed costs neither time nor memory. Any other field of that name, such as in a pod template, stays.
 *
 * A line that is not the JSON of an event, or spells the key in another way, is returned as it is, and the parser decides.
 * What is cut out is not parsed: an error within it is not found, and one anywhere else is. See also `withoutManagedFields`.
 */
export function stripManagedFields(line: Buffer): Buffer {
  if (!line.includes('"managedFields"')) return line;
  const object = findMember(line, skipSpace(line, 0), "object");
  const metadata = object && findMember(line, object.valueStart, "metadata");
  const found = metadata && findMember(line, metadata.valueStart, "managedFields");
  if (found === undefined) return line;
  const { start, end } = withComma(line, found.keyStart, skipValue(line, found.valueStart));
  return end === line.length ? line : Buffer.concat([line.subarray(0, start), line.subarray(end)]);
}

/** The same object without its managedFields. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

interface Member {
  readonly keyStart: number;
  readonly valueStart: number;
}

/** The member of the JSON object that begins at `start`; undefined if there is none, or no object. */
function findMember(line: Buffer, start: number, key: string): Member | undefined {
  if (line[start] !== openBrace) return undefined;
  let position = skipSpace(line, start + 1);
  while (line[position] === quote) {
    const keyEnd = skipString(line, position);
    const colonAt = skipSpace(line, keyEnd);
    if (line[colonAt] !== colon) return undefined;
    const valueStart = skipSpace(line, colonAt + 1);
    if (isText(line, position + 1, keyEnd - 1, key)) return { keyStart: position, valueStart };
    const next = skipSpace(line, skipValue(line, valueStart));
    if (line[next] !== comma) return undefined;
    position = skipSpace(line, next + 1);
  }
  return undefined;
}

/** The bytes of a member and of the one comma that goes with it. */
function withComma(
  line: Buffer,
  start: number,
  end: number,
): { readonly start: number; readonly end: number } {
  const next = skipSpace(line, end);
  if (line[next] === comma) return { start, end: skipSpace(line, next + 1) };
  const previous = line.lastIndexOf(comma, start);
  const isLastOfSeveral = previous !== -1 && skipSpace(line, previous + 1) === start;
  return { start: isLastOfSeveral ? previous : start, end };
}

function isText(line: Buffer, start: number, end: number, text: string): boolean {
  return end - start === text.length && line.toString("latin1", start, end) === text;
}

/** Space, tab, line feed, carriage return. */
function skipSpace(line: Buffer, start: number): number {
  let position = start;
  for (let byte = line[position]; byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d; ) {
    position += 1;
    byte = line[position];
  }
  return position;
}

/** Where the string that begins at `start` is over; the end of the line if it never is. */
function skipString(line: Buffer, start: number): number {
  for (let position = start + 1; position < line.length; position += 1) {
    const byte = line[position];
    if (byte === quote) return position + 1;
    // Whatever it escapes is not the end. The digits of \u0022 are none either.
    if (byte === backslash) position += 1;
  }
  return line.length;
}

/** Where the value that begins at `start` is over; the end of the line if it never is. */
function skipValue(line: Buffer, start: number): number {
  let depth = 0;
  for (let position = start; position < line.length; position += 1) {
    const byte = line[position];
    if (byte === quote) {
      position = skipString(line, position) - 1;
      if (depth === 0) return position + 1;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
    } else if (byte === closeBrace || byte === closeBracket) {
      // Either the end of this value, or, after a number or a word, of what it is in.
      if (depth <= 1) return depth === 0 ? position : position + 1;
      depth -= 1;
    } else if (byte === comma && depth === 0) {
      return position;
    }
  }
  return line.length;
}
