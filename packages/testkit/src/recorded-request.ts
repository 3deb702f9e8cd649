import type { TransportRequest } from "@keelson/core";
import { type MatchedRequest, type RequestMatch as MatchOf, matchedRequest } from "@keelson/sandbox";

/** A request that was sent through the transport. */
export interface RecordedRequest extends MatchedRequest {
  readonly method: TransportRequest["method"];
  readonly body?: string;
  readonly isStream: boolean;
}

/** Selects requests: those that have every given field, or those for which the function returns true. */
export type RequestMatch = MatchOf<RecordedRequest>;

export function recordedRequest(request: TransportRequest): RecordedRequest {
  const { method, body, isStream } = request;
  return { ...matchedRequest(request), method, ...(body !== undefined && { body }), isStream };
}
