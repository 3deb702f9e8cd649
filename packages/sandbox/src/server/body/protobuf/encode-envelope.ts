import { isRecord, parseJson } from "@keelson/core";
import { prefix } from "./decode-envelope.ts";
import { delimited, jsonToMessage } from "./encode-message.ts";
import { messageNameOf } from "./message-form.ts";

/** Encodes an object for a body of `application/vnd.kubernetes.protobuf`; undefined for kinds that have no message. */
export function jsonToProtobuf(json: string): Uint8Array | undefined {
  const object: unknown = parseJson(json);
  return isRecord(object) ? enveloped(object) : undefined;
}

function enveloped(object: Readonly<Record<string, unknown>>): Uint8Array | undefined {
  const [apiVersion, kind] = [String(object.apiVersion), String(object.kind)];
  const message = jsonToMessage(messageNameOf(apiVersion, kind), object);
  if (message === undefined) return undefined;
  const type = Buffer.concat([delimited(1, Buffer.from(apiVersion)), delimited(2, Buffer.from(kind))]);
  const empty = new Uint8Array();
  return Buffer.concat([
    Uint8Array.from(prefix),
    delimited(1, type),
    delimited(2, message),
    // The encoding and the type of the content: those of the envelope.
    delimited(3, empty),
    delimited(4, empty),
  ]);
}

/** A watch event as a frame: its length in four bytes, and the message. Undefined for kinds that have no message. */
export function watchFrame(line: string): Uint8Array | undefined {
  const event: unknown = parseJson(line);
  if (!isRecord(event) || !isRecord(event.object)) return undefined;
  const object = enveloped(event.object);
  if (object === undefined) return undefined;
  const message = Buffer.concat([
    delimited(1, Buffer.from(String(event.type))),
    delimited(2, delimited(1, object)),
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(message.length);
  return Buffer.concat([length, message]);
}
