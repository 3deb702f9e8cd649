import { type GenericObject, isRecord } from "@keelson/core";
import { z } from "zod";
import { extend } from "../structural/extension.ts";

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
