import { formatTimestamp } from "./timestamp.ts";

/** An unsigned integer; signed ones are a `bigint`, floating-point numbers a `number`. */
export class Unsigned {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }

  toString(): string {
    return String(this.value);
  }
}

const perSecond = 1_000_000_000n;

export class CelDuration {
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }

  /** `90s`, `1.5s` */
  toString(): string {
    const sign = this.nanoseconds < 0n ? "-" : "";
    const size = this.nanoseconds < 0n ? -this.nanoseconds : this.nanoseconds;
    const fraction = String(size % perSecond)
      .padStart(9, "0")
      .replace(/0+$/, "");
    return `${sign}${size / perSecond}${fraction === "" ? "" : `.${fraction}`}s`;
  }
}

export class CelTimestamp {
  /** Since 1970. */
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }

  toString(): string {
    return formatTimestamp(this.nanoseconds);
  }
}

/** A value that may be empty. */
export class OptionalValue {
  static readonly none: OptionalValue = new OptionalValue(undefined);

  /** Undefined if there is none. */
  readonly value: unknown;

  private constructor(value: unknown) {
    this.value = value;
  }

  static of(value: unknown): OptionalValue {
    return new OptionalValue(value);
  }

  get hasValue(): boolean {
    return this.value !== undefined;
  }
}

/** The type of a value, as a value. */
export class TypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  toString(): string {
    return this.name;
  }
}

/** A value of a type that Kubernetes adds. Two of one type are equal if their texts are. */
export abstract class ExtensionValue {
  abstract readonly typeName: string;
  abstract toString(): string;
}

/** Keys of maps; whole numbers are the same key whatever their type. */
export type MapKey = string | bigint | boolean | number;

/** Objects are maps too. */
export type CelMap = ReadonlyMap<MapKey, unknown>;

export function isMap(value: unknown): value is CelMap {
  return value instanceof Map;
}

/** Undefined for a value that no map has as a key. */
export function mapKey(value: unknown): MapKey | undefined {
  if (typeof value === "string" || typeof value === "bigint" || typeof value === "boolean") return value;
  if (value instanceof Unsigned) return value.value;
  if (typeof value !== "number") return undefined;
  return Number.isInteger(value) ? BigInt(value) : value;
}

/** The name of the type of a value, as messages and `type()` give it. */
export function typeNameOf(value: unknown): string {
  if (value === null) return "null_type";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
    default:
      break;
  }
  if (Array.isArray(value)) return "list";
  if (isMap(value)) return "map";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Unsigned) return "uint";
  if (value instanceof CelDuration) return "google.protobuf.Duration";
  if (value instanceof CelTimestamp) return "google.protobuf.Timestamp";
  if (value instanceof OptionalValue) return "optional_type";
  if (value instanceof TypeValue) return "type";
  return value instanceof ExtensionValue ? value.typeName : "dyn";
}
