import { DropConnectionError } from "@keelson/core";
import { jsonToProtobuf, watchFrame } from "../body/protobuf/encode-envelope.ts";
import { parseAccept } from "../request/accepted-type.ts";
import type { ApiResponse } from "./response.ts";

const mediaType = "application/vnd.kubernetes.protobuf";

/** Whether a client accepts nothing but objects as Protocol Buffers; others get JSON. */
export function acceptsOnlyProtobuf({ accept = "" }: Readonly<Record<string, string>>): boolean {
  const clauses = parseAccept(accept);
  return (
    clauses.length > 0 && clauses.every(({ type, parameters }) => type === mediaType && !parameters.has("as"))
  );
}

/** A response with JSON, as Protocol Buffers. What has no message stays as it is. */
export async function protobufResponse(response: ApiResponse, isWatch: boolean): Promise<ApiResponse> {
  const { status, headers, body } = response;
  if (headers["content-type"] !== "application/json") return response;
  if (isWatch && status === 200) {
    const type = `${mediaType};stream=watch`;
    return { status, headers: { ...headers, "content-type": type }, body: frames(partsOf(body)) };
  }
  const parts: Uint8Array[] = [];
  for await (const part of partsOf(body)) parts.push(part);
  const bytes = Buffer.concat(parts);
  const message = jsonToProtobuf(bytes.toString());
  if (message === undefined) return { ...response, body: bytes };
  return { status, headers: { ...headers, "content-type": mediaType }, body: message };
}

async function* partsOf(body: ApiResponse["body"]): AsyncGenerator<Uint8Array> {
  if (typeof body === "string") yield Buffer.from(body);
  else if (body instanceof Uint8Array) yield body;
  else yield* body;
}

async function* frames(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  for await (const part of parts) {
    rest = Buffer.concat([rest, part]);
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const frame = watchFrame(rest.subarray(0, end).toString());
      // The client understands nothing else; it reconnects.
      if (frame === undefined)
        throw new DropConnectionError("a watch event has no message in Protocol Buffers");
      yield frame;
      rest = rest.subarray(end + 1);
    }
  }
}
