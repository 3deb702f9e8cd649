import type { Random } from "@keelson/core";

const hexOfByte: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0"),
);

/** A random UUID (version 4). To tell things apart, not to keep them secret. */
export function randomUuid(random: Random): string {
  const a = word(random);
  const b = word(random);
  const c = word(random);
  const d = word(random);
  const version = (b & 0xffff0fff) | 0x4000;
  const variant = (c & 0x3fffffff) | 0x80000000;
  return `${hex(a)}-${high(version)}-${low(version)}-${high(variant)}-${low(variant)}${hex(d)}`;
}

/** The same UUID whenever it is asked for, made when that is done first. */
export function lazyUuid(random: Random): () => string {
  let uuid: string | undefined;
  return () => {
    uuid ??= randomUuid(random);
    return uuid;
  };
}

function word(random: Random): number {
  return Math.floor(random.next() * 2 ** 32);
}

function hex(bits: number): string {
  return high(bits) + low(bits);
}

function high(bits: number): string {
  return `${hexOfByte[bits >>> 24]}${hexOfByte[(bits >>> 16) & 0xff]}`;
}

function low(bits: number): string {
  return `${hexOfByte[(bits >>> 8) & 0xff]}${hexOfByte[bits & 0xff]}`;
}
