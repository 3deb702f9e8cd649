import type { ManagedFieldsEntry } from "@keelson/core";
import { isJsonObject } from "../schema/json-document.ts";
import { emptySet, type FieldSet, isEmpty, readFieldSet } from "./field-set.ts";

/** A field manager of an object, and the fields that it owns. */
export interface Owner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** When the set last changed by this owner. */
  readonly time: string | undefined;
  readonly set: FieldSet;
  /** The entry from which it was read, which is written again if nothing changed. */
  readonly entry?: ManagedFieldsEntry;
}

/** The owners of an object's fields, by `ownerKey`. */
export type Owners = Map<string, Owner>;

/** The identity of an owner. Appliers are the same in all versions. Conflicts are sorted by it. */
export function ownerKey({
  manager,
  operation,
  apiVersion,
  subresource,
}: Pick<Owner, "manager" | "operation" | "apiVersion" | "subresource">): string {
  return JSON.stringify({
    ...(manager === "" ? {} : { manager }),
    operation,
    ...(operation === "Apply" ? {} : { apiVersion }),
    ...(subresource === "" ? {} : { subresource }),
  });
}

/** Reads the entries that this server wrote. */
export function ownersOf(entries: readonly ManagedFieldsEntry[]): Owners {
  return new Map(entries.map((entry) => keyed(ownerOf(entry, trusted(entry.fieldsV1)))));
}

function keyed(owner: Owner): [string, Owner] {
  return [ownerKey(owner), owner];
}

function ownerOf(entry: ManagedFieldsEntry, set: FieldSet): Owner {
  return {
    manager: entry.manager ?? "",
    operation: entry.operation === "Apply" ? "Apply" : "Update",
    apiVersion: entry.apiVersion ?? "",
    subresource: entry.subresource ?? "",
    time: entry.time,
    set,
    entry,
  };
}

/** Stored entries were written by `entriesOf`, in the right form and order. */
function trusted(fields: ManagedFieldsEntry["fieldsV1"]): FieldSet {
  return (fields as FieldSet | undefined) ?? emptySet;
}

/** Reads the managed fields in a request; undefined if an entry is invalid. */
export function readOwners(entries: readonly unknown[]): Owners | undefined {
  try {
    return new Map(entries.map((entry) => keyed(readOwner(entry))));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readOwner(entry: unknown): Owner {
  if (!isJsonObject(entry)) throw new SyntaxError("an entry is an object");
  const { operation, fieldsType, time } = entry;
  const [manager, apiVersion, subresource] = [entry.manager, entry.apiVersion, entry.subresource];
  if (operation !== "Apply" && operation !== "Update") throw new SyntaxError("no such operation");
  if (typeof apiVersion !== "string" || apiVersion === "") throw new SyntaxError("no version");
  if (fieldsType !== "FieldsV1") throw new SyntaxError("no such type of fields");
  return {
    manager: typeof manager === "string" ? manager : "",
    operation,
    apiVersion,
    subresource: typeof subresource === "string" ? subresource : "",
    time: typeof time === "string" ? wholeSeconds(time) : undefined,
    set: readFieldSet(entry.fieldsV1),
  };
}

function wholeSeconds(time: string): string {
  const milliseconds = Date.parse(time);
  if (Number.isNaN(milliseconds)) throw new SyntaxError("no time");
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** Writes the owners in the order of the server: appliers first, then by time, by name, by version. */
export function entriesOf(owners: Owners): ManagedFieldsEntry[] {
  return [...owners.values()].sort(compareOwners).map(entryOf);
}

function compareOwners(a: Owner, b: Owner): number {
  return (
    compareTexts(a.operation, b.operation) ||
    compareTexts(a.time ?? "", b.time ?? "") ||
    compareTexts(a.manager, b.manager) ||
    compareTexts(a.apiVersion, b.apiVersion) ||
    compareTexts(a.subresource, b.subresource)
  );
}

export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function entryOf({
  entry,
  manager,
  operation,
  apiVersion,
  time,
  set,
  subresource,
}: Owner): ManagedFieldsEntry {
  if (entry !== undefined) return entry;
  return {
    ...(manager === "" ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: set,
    ...(subresource === "" ? {} : { subresource }),
  };
}

/** The same owner with other fields. */
export function withSet(owner: Owner, set: FieldSet): Owner {
  if (set === owner.set) return owner;
  const { entry: _entry, ...rest } = owner;
  return { ...rest, set };
}

/** Replaces the set of each owner by what `keep` returns; owners without fields are removed. */
export function narrowOwners(owners: Owners, keep: (owner: Owner, key: string) => FieldSet): void {
  for (const [key, owner] of [...owners]) {
    const set = keep(owner, key);
    if (isEmpty(set)) owners.delete(key);
    else owners.set(key, withSet(owner, set));
  }
}
