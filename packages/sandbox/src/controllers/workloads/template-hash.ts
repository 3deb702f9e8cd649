import { formatJson, sortFields } from "@keelson/core";

/** Without vowels and the like, so that no bad words come about. */
const safeLetters = "bcdfghjklmnpqrstvwxz2456789";

/**
 * Ten letters that stand for a template: the same for what means the same, however its fields are ordered. The count of
 * collisions makes another hash of the same template.
 */
export function templateHash(template: unknown, collisionCount: number | undefined): string {
  let hash = fnv1a(formatJson(sortFields(template)), 0x811c9dc5);
  if (collisionCount !== undefined) hash = fnv1a(`#${collisionCount}`, hash);
  const digits = String(hash).padStart(10, "0");
  return [...digits].map((digit) => safeLetters[digit.charCodeAt(0) % safeLetters.length] ?? "").join("");
}

/** The FNV-1a hash, 32 bits, over the UTF-16 units of a text. */
function fnv1a(text: string, seed: number): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
