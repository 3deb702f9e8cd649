import type { CustomResourceSubresourceScale } from "@keelson/core/kinds/apiextensions/v1";
import type { SchemaProblem } from "../errors.ts";
import type { StructuralSchema } from "../structural/structural-schema.ts";
import { type Report, reporter } from "./definition-rules.ts";
import type { PrinterColumn } from "./resource-definition.ts";

export interface Paths {
  readonly schema: StructuralSchema;
  readonly printerColumns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];
  readonly scale: CustomResourceSubresourceScale | undefined;
}

const mostSelectableFields = 8;

/** Paths into the object must be ones the server can follow, and lead where their use needs them to. */
export function checkPaths(
  { schema, printerColumns, selectableFields, scale }: Paths,
  problems: SchemaProblem[],
): void {
  const report = reporter(problems);
  for (const [index, { name, jsonPath }] of printerColumns.entries()) {
    if (name === "") report(`printerColumns[${index}].name`, "is empty", "name the column");
    checkColumnPath(`printerColumns[${index}].jsonPath`, jsonPath, report);
  }
  for (const [index, jsonPath] of selectableFields.entries()) {
    checkTarget(`selectableFields[${index}]`, jsonPath, schema, ["string", "boolean", "integer"], report);
  }
  if (selectableFields.length > mostSelectableFields) {
    report(
      "selectableFields",
      `there are more than ${mostSelectableFields}`,
      "choose the ones that clients select by",
    );
  }
  if (scale === undefined) return;
  checkTarget("scale.specReplicasPath", scale.specReplicasPath, schema, ["integer"], report, [".spec."]);
  checkTarget("scale.statusReplicasPath", scale.statusReplicasPath, schema, ["integer"], report, [
    ".status.",
  ]);
  if (scale.labelSelectorPath !== undefined) {
    const parts = [".spec.", ".status."];
    checkTarget("scale.labelSelectorPath", scale.labelSelectorPath, schema, ["string"], report, parts);
  }
}

function checkColumnPath(path: string, jsonPath: string, report: Report): void {
  const withoutQuotes = jsonPath.replaceAll(/'[^']*'|"[^"]*"/g, "");
  const isBalanced = ["[]", "()"].every(([open = "", close = ""]) => {
    return withoutQuotes.split(open).length === withoutQuotes.split(close).length;
  });
  if (!jsonPath.startsWith(".") || /[{}]|\.$/.test(withoutQuotes) || !isBalanced) {
    report(
      path,
      `${JSON.stringify(jsonPath)} is not a JSON path from the object`,
      "write it like .spec.replicas",
    );
  }
}

/** A plain path of field names must lead to a field of one of the types. */
function checkTarget(
  path: string,
  jsonPath: string,
  schema: StructuralSchema,
  types: readonly string[],
  report: Report,
  prefixes: readonly string[] = ["."],
): void {
  if (!prefixes.some((prefix) => jsonPath.startsWith(prefix))) {
    report(
      path,
      `${JSON.stringify(jsonPath)} does not start with ${prefixes.join(" or ")}`,
      "write it from the object",
    );
    return;
  }
  const target = targetOf(jsonPath, schema);
  if (target?.type === undefined || !types.includes(target.type)) {
    const found = target === undefined ? "no field" : `a field of type ${target.type ?? "anything"}`;
    report(
      path,
      `${jsonPath} leads to ${found}, not to one of type ${types.join(", ")}`,
      "change the path or the schema",
    );
  }
}

function targetOf(jsonPath: string, schema: StructuralSchema): StructuralSchema | undefined {
  return jsonPath
    .slice(1)
    .split(".")
    .reduce<StructuralSchema | undefined>((node, name) => node?.properties?.[name], schema);
}
