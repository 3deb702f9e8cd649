import { formatJson, type GenericObject } from "@keelson/core";
import type { CustomResourceColumnDefinition } from "@keelson/core/kinds/apiextensions/v1";
import {
  ageColumn as builtinAge,
  nameColumn as builtinName,
  humanDuration,
} from "../builtin/columns/column.ts";
import type { TableColumn } from "../resource/served-resource.ts";
import { parseJsonPath } from "./json-path.ts";

const nameColumn: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description: builtinName.description,
  priority: 0,
  cell: ({ metadata }) => metadata.name ?? "",
};

const ageColumn: TableColumn = {
  name: "Age",
  type: "date",
  format: "",
  description: builtinAge.description,
  priority: 0,
  cell: ({ metadata }, now) => ageOf(metadata.creationTimestamp, now),
};

/** The columns of a custom kind: its name, and the columns of the definition or else the age. */
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

function cellOf(type: string, value: unknown, now: number): string | number | bigint | boolean | null {
  if (value === undefined) return null;
  switch (type) {
    case "string":
      return printed(value);
    case "integer":
      if (typeof value === "bigint") return value;
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      if (typeof value === "bigint") return Number(value);
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
  return typeof value === "object" ? formatJson(value) : String(value);
}

function ageOf(timestamp: string | undefined, now: number): string {
  if (timestamp === undefined) return "<unknown>";
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? "<invalid>" : humanDuration(now - then);
}
