import { isAscii } from "node:buffer";
import { byteAt, notJson, skipSpace, skipValue } from "./json-scan.ts";

const quote = 0x22;
const slash = 0x2f;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** What a line says of an object, and the JSON of the object, unparsed. */
export interface ScannedLine {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly namespace: string | undefined;
  readonly name: string;
  /** The key of the object in one piece; see Snapshot. */
  readonly keyText: string;
  readonly resourceVersion: string;
  /** The JSON of the object: each byte of it is one character. */
  readonly bytes: string;
  /** Whether these characters are also those of the text. */
  readonly isAscii: boolean;
}

export interface WatchLineScannerOptions {
  /** What objects must say that they are. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly keepManagedFields: boolean;
}

interface Field {
  readonly key: Uint8Array;
  /** The number under which its place is noted. */
  readonly slot: number;
}

const slots = { type: 0, object: 1, apiVersion: 2, kind: 3, metadata: 4 } as const;
const metadataSlots = { namespace: 5, name: 6, resourceVersion: 7, managedFields: 8 } as const;
const slotCount = 9;
const noSlot = -1;

/** No server allows a namespace and a name that are longer. */
const keyRoom = 1024;

/** What is looked for in the event, in its object and in that object's metadata. */
const fieldsAtDepth: readonly (readonly Field[])[] = [
  fields({ type: slots.type, object: slots.object }),
  fields({ apiVersion: slots.apiVersion, kind: slots.kind, metadata: slots.metadata }),
  fields(metadataSlots),
];

function fields(slotOf: Readonly<Record<string, number>>): readonly Field[] {
  return Object.entries(slotOf).map(([key, slot]) => ({ key: Buffer.from(key), slot }));
}

const types = (["ADDED", "MODIFIED", "DELETED"] as const).map((type) => ({ type, text: Buffer.from(type) }));

/**
 * Finds out what a line of a watch is about in one pass over its bytes and without parsing it, which costs a fraction
 * of parsing. `object.metadata.managedFields`, which is often half of a line, is left out of what is kept.
 *
 * It takes no risk: for a line that is not JSON, that is about anything else than an object of the kind, or that is
 * spelled in an unusual way (a key or a name with an escape, the same key twice) it gives up, and parsing decides.
 */
export class WatchLineScanner {
  readonly #apiVersion: Uint8Array;
  readonly #kind: Uint8Array;
  readonly #keepManagedFields: boolean;
  /** The line with a 0 behind it, and then room for a key. */
  #line: Buffer = Buffer.alloc(16_384);
  /** Where the value of each slot begins and ends. A value cannot begin at 0, so that means: not found. */
  readonly #starts = new Int32Array(slotCount);
  readonly #ends = new Int32Array(slotCount);
  /** The bytes of managedFields, with the one comma that goes with them. Both are 0 if none are to be cut. */
  #cutStart = 0;
  #cutEnd = 0;
  constructor({ apiVersion, kind, keepManagedFields }: WatchLineScannerOptions) {
    this.#apiVersion = Buffer.from(apiVersion);
    this.#kind = Buffer.from(kind);
    this.#keepManagedFields = keepManagedFields;
  }

  /** Undefined if the line has to be parsed to know what it says. */
  scan(line: Buffer): ScannedLine | undefined {
    this.#load(line);
    const end = this.#scanMembers(skipSpace(this.#line, 0), 0);
    if (end === notJson || skipSpace(this.#line, end) !== line.length) return undefined;
    if (!this.#isText(slots.apiVersion, this.#apiVersion) || !this.#isText(slots.kind, this.#kind))
      return undefined;
    const type = types.find(({ text }) => this.#isText(slots.type, text))?.type;
    const nameLength = this.#plainLength(metadataSlots.name);
    const versionLength = this.#plainLength(metadataSlots.resourceVersion);
    if (type === undefined || nameLength <= 0 || versionLength <= 0) return undefined;
    const hasNamespace = this.#starts[metadataSlots.namespace] !== 0;
    const namespaceLength = hasNamespace ? this.#plainLength(metadataSlots.namespace) : 0;
    if (hasNamespace && namespaceLength <= 0) return undefined;
    if (namespaceLength + 1 + nameLength > keyRoom) return undefined;
    const keyText = this.#keyText(line.length + 1, namespaceLength, nameLength);
    const versionStart = (this.#starts[metadataSlots.resourceVersion] ?? 0) + 1;
    return {
      type,
      namespace: hasNamespace ? keyText.slice(0, namespaceLength) : undefined,
      name: keyText.slice(namespaceLength + 1),
      keyText,
      resourceVersion: line.toString("latin1", versionStart, versionStart + versionLength),
      bytes: this.#object(),
      isAscii: isAscii(line),
    };
  }

  #load(line: Buffer): void {
    const needed = line.length + 1 + keyRoom;
    if (this.#line.length < needed) this.#line = Buffer.alloc(Math.max(needed, 2 * this.#line.length));
    line.copy(this.#line);
    this.#line[line.length] = 0;
    this.#starts.fill(0);
    this.#cutStart = 0;
    this.#cutEnd = 0;
  }

  /** Where the object that begins at `start` is over; `notJson` if it is none or if the scanner gives up. */
  #scanMembers(start: number, depth: number): number {
    const line = this.#line;
    if (byteAt(line, start) !== openBrace) return notJson;
    let position = skipSpace(line, start + 1);
    if (byteAt(line, position) === closeBrace) return position + 1;
    let commaBefore = notJson;
    for (;;) {
      const keyStart = position;
      const keyLength = plainLength(line, keyStart);
      if (keyLength === notJson) return notJson;
      position = skipSpace(line, keyStart + keyLength + 2);
      if (byteAt(line, position) !== colon) return notJson;
      const slot = slotOf(line, keyStart + 1, keyLength, depth);
      const valueEnd = this.#scanValue(skipSpace(line, position + 1), slot, depth);
      if (valueEnd === notJson) return notJson;
      const next = skipSpace(line, valueEnd);
      const isLast = byteAt(line, next) === closeBrace;
      if (!isLast && byteAt(line, next) !== comma) return notJson;
      position = skipSpace(line, next + 1);
      if (slot === metadataSlots.managedFields && !this.#keepManagedFields) {
        this.#cutStart = isLast && commaBefore !== notJson ? commaBefore : keyStart;
        this.#cutEnd = isLast ? valueEnd : position;
      }
      if (isLast) return next + 1;
      commaBefore = next;
    }
  }

  #scanValue(start: number, slot: number, depth: number): number {
    if (slot === noSlot) return skipValue(this.#line, start);
    // A key that is there twice: the last one counts, and what was found in the first one does not.
    if (this.#starts[slot] !== 0) return notJson;
    const isLookedInto = slot === slots.object || slot === slots.metadata;
    const end = isLookedInto ? this.#scanMembers(start, depth + 1) : skipValue(this.#line, start);
    this.#starts[slot] = start;
    this.#ends[slot] = end;
    return end;
  }

  #isText(slot: number, text: Uint8Array): boolean {
    const start = this.#starts[slot] ?? 0;
    const length = (this.#ends[slot] ?? 0) - start - 2;
    return start !== 0 && byteAt(this.#line, start) === quote && isText(this.#line, start + 1, length, text);
  }

  #plainLength(slot: number): number {
    const start = this.#starts[slot] ?? 0;
    return start === 0 ? notJson : plainLength(this.#line, start);
  }

  /** Made of one piece in the room behind the line: a string made of two strings would keep them both. */
  #keyText(room: number, namespaceLength: number, nameLength: number): string {
    const line = this.#line;
    const nameStart = (this.#starts[metadataSlots.name] ?? 0) + 1;
    const namespaceStart = (this.#starts[metadataSlots.namespace] ?? 0) + 1;
    const slashAt = room + namespaceLength;
    line.copyWithin(room, namespaceStart, namespaceStart + namespaceLength);
    line[slashAt] = slash;
    line.copyWithin(slashAt + 1, nameStart, nameStart + nameLength);
    return line.toString("latin1", room, slashAt + 1 + nameLength);
  }

  /** Spoils the places of what comes after managedFields, so it is the last thing that is taken. */
  #object(): string {
    const start = this.#starts[slots.object] ?? 0;
    const end = this.#ends[slots.object] ?? 0;
    if (this.#cutEnd > 0) this.#line.copyWithin(this.#cutStart, this.#cutEnd, end);
    return this.#line.toString("latin1", start, end - (this.#cutEnd - this.#cutStart));
  }
}

/** How many bytes the string has that begins at `start`; `notJson` unless it is plain ASCII without escapes. */
function plainLength(line: Uint8Array, start: number): number {
  if (byteAt(line, start) !== quote) return notJson;
  for (let position = start + 1; ; position += 1) {
    const byte = byteAt(line, position);
    if (byte === quote) return position - start - 1;
    if (byte < 0x20 || byte === backslash || byte >= 0x80) return notJson;
  }
}

function slotOf(line: Uint8Array, start: number, length: number, depth: number): number {
  for (const { key, slot } of fieldsAtDepth[depth] ?? []) {
    if (isText(line, start, length, key)) return slot;
  }
  return noSlot;
}

function isText(line: Uint8Array, start: number, length: number, text: Uint8Array): boolean {
  if (length !== text.length) return false;
  for (let index = 0; index < length; index += 1) {
    if (line[start + index] !== text[index]) return false;
  }
  return true;
}
