import type { KubeconfigUser } from "@keelson/core";
import type { HeaderLines } from "./cluster-access.ts";

/** The headers that make the server treat a request as another user's. */
export function impersonationHeaders(user: KubeconfigUser): HeaderLines {
  const { as, "as-uid": uid, "as-groups": groups = [], "as-user-extra": extra = {} } = user;
  if (as === undefined) return {};
  return {
    "impersonate-user": as,
    ...(uid !== undefined && { "impersonate-uid": uid }),
    ...(groups.length > 0 && { "impersonate-group": groups }),
    ...extraHeaders(extra),
  };
}

/** Whether a user entry has fields of an impersonation but no name to impersonate. */
export function lacksImpersonatedUser(user: KubeconfigUser): boolean {
  const { as, "as-uid": uid, "as-groups": groups = [], "as-user-extra": extra = {} } = user;
  return as === undefined && (uid !== undefined || groups.length > 0 || Object.keys(extra).length > 0);
}

function extraHeaders(extra: Readonly<Record<string, readonly string[]>>): HeaderLines {
  const lines: Record<string, readonly string[]> = {};
  for (const [key, values] of Object.entries(extra)) {
    const name = `impersonate-extra-${escapeHeaderName(key)}`.toLowerCase();
    // Names differ only by case to us: the server reads them in lower case.
    if (values.length > 0) lines[name] = [...(lines[name] ?? []), ...values];
  }
  return lines;
}

/** Bytes that may not stand in a header's name are %-encoded, and so is `%`, which the server decodes. */
function escapeHeaderName(key: string): string {
  return Array.from(new TextEncoder().encode(key), (byte) => {
    const char = String.fromCharCode(byte);
    return /[\w!#$&'*+.^`|~-]/.test(char) ? char : `%${byte.toString(16).padStart(2, "0")}`;
  }).join("");
}
