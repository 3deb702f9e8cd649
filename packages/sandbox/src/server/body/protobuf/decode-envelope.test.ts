import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { protobufToJson } from "./decode-envelope.ts";
import { MalformedMessageError } from "./wire-reader.ts";

/** A field that holds bytes: text, or a message. */
function field(number: number, content: string | readonly number[]): readonly number[] {
  const bytes = typeof content === "string" ? [...Buffer.from(content)] : content;
  return [...varint((number << 3) | 2), ...varint(bytes.length), ...bytes];
}

function integer(number: number, value: number): readonly number[] {
  return [...varint(number << 3), ...varint(value)];
}

function varint(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

function envelope(apiVersion: string, kind: string, message: readonly number[]): Uint8Array {
  const type = field(1, [...field(1, apiVersion), ...field(2, kind)]);
  return Uint8Array.from([107, 56, 115, 0, ...type, ...field(2, message)]);
}

describe("an object as Protocol Buffers", () => {
  test("is read as the JSON that it stands for", () => {
    const metadata = [
      ...field(1, "a"),
      ...field(8, integer(1, 1_800_000_000)),
      ...field(11, [...field(1, "app"), ...field(2, "web")]),
    ];
    const message = [...field(1, metadata), ...field(2, [...field(1, "k"), ...field(2, "v")])];
    expect(JSON.parse(protobufToJson(envelope("v1", "ConfigMap", message)))).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", creationTimestamp: "2027-01-15T08:00:00Z", labels: { app: "web" } },
      data: { k: "v" },
    });
  });

  test("has embedded messages inlined, and ports as numbers or names", () => {
    const port = [...integer(1, 1), ...integer(2, 0), ...field(3, "http")];
    const probe = [...field(1, field(2, [...field(1, "/"), ...field(2, port)])), ...integer(2, 300)];
    const container = [...field(1, "c"), ...field(10, probe)];
    const volume = [...field(1, "v"), ...field(2, field(2, field(1, "")))];
    const spec = [...field(1, volume), ...field(2, container)];
    const { spec: found } = JSON.parse(protobufToJson(envelope("v1", "Pod", field(2, spec))));
    expect(found.containers[0].livenessProbe).toEqual({
      httpGet: { path: "/", port: "http" },
      initialDelaySeconds: 300,
    });
    expect(found.volumes).toEqual([{ name: "v", emptyDir: { medium: "" } }]);
  });

  test("has the chosen alternatives of schemas, and the JSON names of fields", () => {
    const text = [...field(5, "string"), ...field(8, field(1, '"a"')), ...field(3, "#/x")];
    const items = field(24, field(1, text));
    const open = field(30, integer(1, 1));
    const needed = field(32, [...field(1, "a"), ...field(2, field(2, "b"))]);
    const schema = [...field(5, "object"), ...items, ...open, ...needed, ...integer(38, 1)];
    const version = [...field(1, "v1"), ...field(4, field(1, schema))];
    const definition = envelope(
      "apiextensions.k8s.io/v1",
      "CustomResourceDefinition",
      field(2, field(7, version)),
    );
    expect(JSON.parse(protobufToJson(definition)).spec.versions[0].schema.openAPIV3Schema).toEqual({
      type: "object",
      items: { type: "string", default: "a", $ref: "#/x" },
      additionalProperties: true,
      dependencies: { a: ["b"] },
      "x-kubernetes-preserve-unknown-fields": true,
    });
  });

  test("is refused where it is none", () => {
    expect(() => protobufToJson(new Uint8Array())).toThrow("empty data");
    expect(() => protobufToJson(Buffer.from("{}"))).toThrow(
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    );
    expect(() => protobufToJson(envelope("foo/v1", "Bar", []))).toThrow(MalformedMessageError);
  });

  test("never throws another error, whatever the bytes are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          JSON.parse(protobufToJson(envelope("v1", "Pod", [...bytes])));
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessageError);
        }
      }),
    );
  });
});
