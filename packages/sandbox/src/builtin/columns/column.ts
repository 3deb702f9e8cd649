import type { GenericObject, KubeObject } from "@keelson/core";
import { decoded } from "../../resource/mutable-object.ts";
import type { TableColumn } from "../../resource/served-resource.ts";
import { ageSince } from "./human-duration.ts";

export type Cell = ReturnType<TableColumn["cell"]>;

/** A column of a kind whose objects are known. */
export interface KindColumn<T extends KubeObject> {
  readonly name: string;
  /** Default: `string`. */
  readonly type?: "string" | "integer" | "boolean" | "date";
  /** Default: none. */
  readonly format?: string;
  readonly description: string;
  /** Whether it is shown only with `-o wide`. Default: false. */
  readonly isWide?: boolean;
  cell(object: T, now: number): Cell;
}

export const nameColumn: KindColumn<KubeObject> = {
  name: "Name",
  format: "name",
  description: "Name of the object, unique among those of its kind and namespace",
  cell: ({ metadata }) => metadata.name ?? "",
};

export const ageColumn: KindColumn<KubeObject> = {
  name: "Age",
  description: "Time since the object was created",
  cell: ({ metadata }, now) => ageSince(metadata.creationTimestamp, now),
};

/** What the server prints of kinds that it knows no columns of. */
export const createdAtColumn: KindColumn<KubeObject> = {
  name: "Created At",
  type: "date",
  description: "When the object was created",
  cell: ({ metadata }) => metadata.creationTimestamp ?? null,
};

/** The columns of a kind, as the server keeps them. */
export function columnsFor<T extends KubeObject>(columns: readonly KindColumn<T>[]): readonly TableColumn[] {
  return columns.map(({ name, type = "string", format = "", description, isWide = false, cell }) => ({
    name,
    type,
    format,
    description,
    priority: isWide ? 1 : 0,
    cell: (object, now) => cell(asKind<T>(object), now),
  }));
}

/** Columns are asked for objects of their kind only, which were checked by its schema. */
function asKind<T extends KubeObject>(object: GenericObject): T {
  return decoded<T>(object);
}
