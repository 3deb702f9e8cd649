import type { ServiceResponse } from "@keelson/core";

export function textAnswer(status: number, text: string): ServiceResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${text}\n` };
}

/** A file that browsers and curl -OJ save under this name. */
export function fileAnswer(name: string, body: string | AsyncIterable<Uint8Array>): ServiceResponse {
  const headers = {
    "content-type": "application/json",
    "content-disposition": `attachment; filename="${name}"`,
  };
  return { status: 200, headers, body };
}
