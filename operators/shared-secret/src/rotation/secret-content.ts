import { ConflictError, KeelsonError, keyOf, mergePatch, type Stored } from "keelson";
import type { Patch } from "keelson/client";
import { Secret } from "keelson/kinds/core/v1";
import { StaleObjectError } from "keelson/object";
import { rotatedAtAnnotation } from "../api/names.ts";
import type { SecretData } from "./rotator.ts";

/** The content of a Secret, decoded. */
export function contentOf({ data = {} }: Secret): SecretData {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
  );
}

/** When a rotator wrote the content of a Secret; undefined if none did. */
export function rotatedAtMs({ metadata }: Secret): number | undefined {
  const ms = Date.parse(metadata?.annotations?.[rotatedAtAnnotation] ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

/**
 * Replaces the content of a Secret and notes the time, if the Secret is still as it was read. Labels and other annotations
 * stay. Throws an InvalidContentError if the content has no value.
 */
export function contentPatch(secret: Stored<Secret>, content: SecretData, atMs: number): Patch {
  if (content.value === undefined || content.value === "") throw new InvalidContentError();
  const removed = Object.keys(secret.data ?? {}).map((key) => [key, null]);
  const added = Object.entries(content).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return mergePatch({
    metadata: {
      resourceVersion: secret.metadata.resourceVersion,
      annotations: { [rotatedAtAnnotation]: formatMs(atMs) },
    },
    data: Object.fromEntries([...removed, ...added]),
  });
}

/** A conflict of a `contentPatch` as the error that rotators know; any other error as it is. */
export function contentError(secret: Stored<Secret>, error: unknown): unknown {
  if (!(error instanceof ConflictError)) return error;
  return new StaleObjectError({ verb: "patch", resource: Secret, key: keyOf(secret) }, { cause: error });
}

/** With milliseconds, as a value may be rotated more often than once in a second. */
export function formatMs(ms: number): string {
  return new Date(ms).toISOString();
}

/** A rotator published content that consumers cannot use. */
export class InvalidContentError extends KeelsonError {
  static override readonly brand: string = "keelson.shared-secret.InvalidContentError";
  readonly code = "INVALID_CONTENT";

  constructor() {
    super("publish: the content has no value; add the key value");
  }
}
