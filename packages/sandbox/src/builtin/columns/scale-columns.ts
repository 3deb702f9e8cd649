import type { Scale } from "@keelson/core/kinds/autoscaling/v1";
import type { TableColumn } from "../../resource/served-resource.ts";
import { ageColumn, columnsFor, type KindColumn, nameColumn } from "./column.ts";

const counts: readonly KindColumn<Scale>[] = [
  {
    name: "Desired",
    type: "integer",
    description: "How many there are to be",
    cell: ({ spec }) => spec?.replicas ?? 0,
  },
  {
    name: "Available",
    type: "integer",
    description: "How many there are",
    cell: ({ status }) => status?.replicas ?? 0,
  },
];

const builtinColumns = columnsFor([{ ...nameColumn, format: "" }, ...counts, ageColumn]);
const customColumns = columnsFor([nameColumn, ...counts, { ...ageColumn, type: "date" }]);

/** What is printed of a Scale: custom kinds say the same with other types. */
export function scaleColumns(isCustom: boolean): readonly TableColumn[] {
  return isCustom ? customColumns : builtinColumns;
}
