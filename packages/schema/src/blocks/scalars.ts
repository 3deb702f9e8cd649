import { type GenericObject, isRecord } from "@keelson/core";
import { z } from "zod";
import { extend } from "../structural/extension.ts";

/** A whole number or a string, such as a port by number or by name, or `50%` (`x-kubernetes-int-or-string`). */
export function intOrString(): z.ZodUnion<readonly [z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string()]);
}

// A signed decimal number; then a binary unit, a decimal unit, or an exponent.
const quantityPattern = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;

/** An amount as Kubernetes writes it: `500m`, `1.5Gi`, `2`. */
export function quantity(): z.ZodUnion<readonly [z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string().regex(quantityPattern)]);
}

const goDurationPattern = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+)$/;

/** A duration as Go writes it: `30s`, `1h30m`. In a CEL rule it is a duration, to be compared with `duration('1m')`. */
export function duration(): z.ZodString {
  return extend(z.string().regex(goDurationPattern), { format: "duration" });
}

/** A whole object of any kind inside of another: the server checks its apiVersion, kind and metadata and keeps the rest. */
export function embeddedResource(): z.ZodType<GenericObject, GenericObject> {
  return extend(z.custom<GenericObject>(isObject), {
    node: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
  });
}

function isObject(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value.apiVersion === "string" &&
    typeof value.kind === "string" &&
    isRecord(value.metadata)
  );
}
