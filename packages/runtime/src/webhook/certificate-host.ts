import { isIPv6 } from "node:net";

/** One text for each host: names in lower case, and IPv6 addresses, which have many forms, in their shortest. */
export function plainHost(host: string): string {
  if (!isIPv6(host)) return host.toLowerCase();
  const withoutZone = host.replace(/%.*$/, "");
  return new URL(`http://[${withoutZone}]`).hostname.slice(1, -1);
}
