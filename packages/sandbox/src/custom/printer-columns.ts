import type { GenericObject } from "@keelson/core";
import type { CustomResourceColumnDefinition } from "@keelson/core/kinds/apiextensions/v1";
import type { TableColumn } from "../resource/table-column.ts";
import { humanDuration } from "./human-duration.ts";
import { parseJsonPath } from "./json-path.ts";

const nameColumn: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description:
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
  priority: 0,
  cell: ({ metadata }) => metadata.name ?? "",
};

const ageColumn: TableColumn = {
  name: "Age",
  type: "date",
  format: "",
  description:
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
  priority: 0,
  cell: ({ metadata }, now) => ageOf(metadata.creationTimestamp, now),
};

/** The columns of a custom kind: its name, and what the definition asks for or else the age. */
export function printerColumns(
  columns: readonly CustomResourceColumnDefinition[] | undefined,
): readonly TableColumn[] {
  if (columns === undefined || columns.length === 0) return [nameColumn, ageColumn];
  const own: TableColumn[] = [];
  for (const column of columns) {
    const made = columnOf(column);
    // As in the real server, what cannot be read ends the list.
    if (made === undefined) break;
    own.push(made);
  }
  return [nameColumn, ...own];
}

function columnOf(column: CustomResourceColumnDefinition): TableColumn | undefined {
  const { name, type, format = "", description = "", priority = 0, jsonPath } = column;
  const path = parseJsonPath(jsonPath);
  if (path === undefined) return undefined;
  return {
    name,
    type,
    format,
    description:
      description === ""
        ? `Custom resource definition column (in JSONPath format): ${jsonPath}`
        : description,
    priority,
    cell: (object: GenericObject, now) => cellOf(type, path(object)[0], now),
  };
}

function cellOf(type: string, value: unknown, now: number): string | number | boolean | null {
  if (value === undefined) return null;
  switch (type) {
    case "string":
      return printed(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? ageOf(value, now) : null;
    default:
      return null;
  }
}

function printed(value: unknown): string {
  if (value === null) return "<nil>";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function ageOf(timestamp: string | undefined, now: number): string {
  if (timestamp === undefined) return "<unknown>";
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? "<invalid>" : humanDuration(now - then);
}
