import { lebDecode, PipeArrayBuffer, slebDecode } from "@icp-sdk/core/candid";

/** The numbers of types in Candid. Other types without parts are negative, too; a type that is 0 or more is one of the table. */
const typeNumber = { nat8: -5, text: -15, opt: -18, vec: -19, record: -20 } as const;

/** A type of a message, and the types that it is made of. */
interface CompositeType {
  readonly kind: number;
  readonly parts: readonly number[];
}

/** Messages that we expect have fewer types than this, and records fewer fields. */
const mostTypes = 100;

/**
 * Throws unless a Candid message has one value, of a record of plain values and of lists of records that have a text. The
 * decoder also decodes what it then throws away. So a host that is not honest could keep it busy for hours with a few bytes:
 * by a list of billions of nulls, or by records of records of records without a plain value.
 */
export function checkTypes(message: Uint8Array): void {
  // After the word DIDL. It needs a copy, as it reads from the beginning of the underlying buffer.
  const pipe = new PipeArrayBuffer(message.slice(4));
  const count = readCount(pipe);
  const table: CompositeType[] = [];
  while (table.length < count) table.push(readType(pipe));
  const isHarmless = table.every((type) => isBounded(type, table));
  if (!isHarmless || readCount(pipe) !== 1)
    throw new Error("decode a Candid message: it has types that no list of the canister has");
}

function readType(pipe: PipeArrayBuffer): CompositeType {
  const kind = Number(slebDecode(pipe));
  if (kind !== typeNumber.record) return { kind, parts: [Number(slebDecode(pipe))] };
  const count = readCount(pipe);
  const parts: number[] = [];
  while (parts.length < count) {
    // The hash of the field's name.
    lebDecode(pipe);
    parts.push(Number(slebDecode(pipe)));
  }
  return { kind, parts };
}

function readCount(pipe: PipeArrayBuffer): number {
  const count = Number(lebDecode(pipe));
  if (count > mostTypes) throw new Error(`decode a Candid message: it has ${count} types or fields`);
  return count;
}

function isBounded({ kind, parts }: CompositeType, table: readonly CompositeType[]): boolean {
  const isMadeOf = (...kinds: readonly number[]): boolean =>
    parts.every((part) => part < 0 || kinds.includes(table[part]?.kind ?? 0));
  switch (kind) {
    case typeNumber.record:
      return isMadeOf(typeNumber.opt, typeNumber.vec);
    case typeNumber.opt:
      return isMadeOf(typeNumber.vec);
    case typeNumber.vec:
      return parts.every((part) => part === typeNumber.nat8 || hasText(table[part]));
    default:
      return false;
  }
}

/** Whose values take a byte at least. */
function hasText(type: CompositeType | undefined): boolean {
  return type?.kind === typeNumber.record && type.parts.includes(typeNumber.text);
}
