import { isStored, type KubeObject, type Stored } from "@keelson/core";

/** The object as if a server had stored it: the missing fields of its metadata are filled in. */
export function stored<T extends KubeObject>(object: T): Stored<T> {
  const { name = "web" } = object.metadata;
  const metadata = { uid: `uid-of-${name}`, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
  const filled: T = { ...object, metadata: { ...metadata, name, ...object.metadata } };
  if (!isStored(filled)) throw new Error(`store ${object.kind} ${name}: a field of its metadata is empty`);
  return filled;
}
