import { formatJson } from "@keelson/core";
import { messageToJson } from "./decode-message.ts";
import { messageNameOf } from "./message-form.ts";
import { MalformedMessageError, wireFields } from "./wire-reader.ts";

/** Begins every message. */
export const prefix: readonly number[] = [107, 56, 115, 0];

/**
 * Decodes a body of `application/vnd.kubernetes.protobuf` to JSON text; the envelope has the type before the message.
 * Throws MalformedMessageError with the server's message.
 */
export function protobufToJson(body: Uint8Array): string {
  if (body.length === 0) throw new MalformedMessageError("empty data");
  if (!prefix.every((byte, index) => body[index] === byte)) {
    throw new MalformedMessageError(
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    );
  }
  const envelope = fieldsOf(body.subarray(prefix.length));
  const type = fieldsOf(envelope.get(1) ?? new Uint8Array());
  const [apiVersion, kind] = [textOf(type.get(1)), textOf(type.get(2))];
  const message = envelope.get(2) ?? new Uint8Array();
  const object = messageToJson(messageNameOf(apiVersion, kind), message);
  if (object === undefined) {
    const [found, version] = [JSON.stringify(kind), JSON.stringify(apiVersion)];
    throw new MalformedMessageError(
      `no kind ${found} of version ${version} can be sent as a protobuf message`,
    );
  }
  return formatJson({ ...object, apiVersion, kind });
}

function fieldsOf(message: Uint8Array): ReadonlyMap<number, Uint8Array> {
  return new Map([...wireFields(message)].map(({ number, bytes }) => [number, bytes]));
}

function textOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "" : Buffer.from(bytes).toString();
}
