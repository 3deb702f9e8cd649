import type { Random } from "@keelson/core";

/** A version 4 UUID. */
export function newUid(random: Random): string {
  const [a, b, c, d] = [bits(random), bits(random), bits(random), bits(random)];
  const first = hex(a);
  const second = hex(((b & 0xffff0fff) | 0x4000) >>> 0);
  const third = hex(((c & 0x3fffffff) | 0x80000000) >>> 0);
  return `${first}-${second.slice(0, 4)}-${second.slice(4)}-${third.slice(0, 4)}-${third.slice(4)}${hex(d)}`;
}

function bits(random: Random): number {
  return Math.floor(random.next() * 2 ** 32);
}

/** Of halves, which the engine keeps as small numbers. */
function hex(word: number): string {
  return half(word >>> 16) + half(word & 0xffff);
}

function half(word: number): string {
  return word.toString(16).padStart(4, "0");
}
