import { formatTime, type ManagedFieldsEntry } from "@keelson/core";
import { trackUpdate } from "../../apply/track-update.ts";
import type { FieldSchema } from "../../schema/field-schema.ts";

/** A decoded object that is not stored, such as a TokenReview. */
interface RequestObject {
  readonly object: Readonly<Record<string, unknown>>;
  readonly schema: FieldSchema;
  readonly apiVersion: string;
  readonly kind: string;
  readonly manager: string;
  readonly subresource?: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The managed fields of an object that is not stored: its client owns all of them. */
export function managedFieldsOfRequest(sent: RequestObject): readonly ManagedFieldsEntry[] {
  const { object, schema, apiVersion, kind, manager, subresource, now } = sent;
  return trackUpdate({
    live: undefined,
    updated: object,
    schema,
    isCustom: false,
    apiVersion,
    kind,
    manager,
    subresource,
    resetFields: [],
    time: formatTime(now),
  });
}
