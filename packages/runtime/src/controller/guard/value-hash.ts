import { hash } from "node:crypto";

/** Tells values of fields apart without keeping them: they may be secrets (law 9). */
export function hashOf(value: unknown): string {
  return value === undefined ? "absent" : hash("sha256", JSON.stringify(value), "base64url");
}
