import type { Random } from "@keelson/core";

/** A version 4 UUID for a request to a webhook. */
export function requestUid(random: Random): string {
  const digits = Array.from({ length: 30 }, () => Math.floor(random.next() * 16).toString(16)).join("");
  const variant = "89ab".charAt(Math.floor(random.next() * 4));
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(12, 15)}-${variant}${digits.slice(15, 18)}-${digits.slice(18)}`;
}
