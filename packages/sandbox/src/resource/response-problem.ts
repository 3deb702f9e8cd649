import { isRecord, isStatus } from "@keelson/core";
import type { WebhookResponse } from "./webhook-caller.ts";

/** The message of the real server for a response whose HTTP status is not a success; undefined for a success. */
export function responseProblem({ status, contentType, body }: WebhookResponse): string | undefined {
  if (status >= 200 && status <= 206) return undefined;
  const message = messageOf(body);
  if (message !== undefined) return message;
  const isText = contentType === "" || contentType.startsWith("text/");
  const text = isText ? body.trim() : "unknown";
  if (status === 403 || status === 406 || status === 415) return text === "" ? "unknown" : text;
  const known = problems[status];
  if (known !== undefined) return known;
  return status >= 500
    ? `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`;
}

const problems: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  410: "the server returned an expired version or continue token",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/** The message of a Status, if the webhook returned one. */
function messageOf(body: string): string | undefined {
  if (!body.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) && isStatus(value) ? value.message : undefined;
  } catch {
    // Any other text is shown unchanged.
    return undefined;
  }
}
