import type { TransportRequest } from "@keelson/core";

/** A request as it is sent: with the headers that tell the server who asks, and to which host. */
export interface Sending extends Pick<TransportRequest, "method" | "body" | "checkBeforeSend"> {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly signal: AbortSignal;
}

/** The headers of a response with one text for each, as a list where there were several. */
export function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}
