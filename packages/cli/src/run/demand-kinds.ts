import type { ConcurrencyDefaults } from "keelson";
import { nearest } from "../config/nearest.ts";
import { UnknownKindsError } from "./errors.ts";

/** Throws an UnknownKindsError if the concurrency is set of kinds that no controller reconciles: nothing would heed it. */
export function demandKinds({ byKind = {} }: ConcurrencyDefaults, kinds: readonly string[]): void {
  const unknown = Object.keys(byKind).filter((kind) => !kinds.includes(kind));
  if (unknown.length === 0) return;
  const meant = unknown.flatMap((kind) => nearest(kind, kinds) ?? []);
  throw new UnknownKindsError(unknown, kinds, meant);
}
