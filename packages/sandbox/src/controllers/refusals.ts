import { ApiError } from "../status/api-error.ts";

/** The result of a write; undefined if the object was not found. */
export async function ignoreNotFound<Value>(write: Promise<Value>): Promise<Value | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 404) return undefined;
    throw error;
  }
}

/** Whether a create was refused because its namespace is being deleted. The controllers expect that. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true
  );
}
