import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, isRecord } from "keelson/low-level";
import { formatJson, parseJson } from "keelson/object";
import type { AppVersion } from "../api/app-template.ts";
import { parseYaml } from "../yaml-text.ts";
import { InvalidChartError } from "./errors.ts";

/** The schemas of a version, each absent if it is empty. */
export type ChartSchemas = Omit<AppVersion, "name">;

/** The status of an AppTemplate, with all its versions, is stored in at most 1.5 MB. */
const mostFileBytes = 512 * 1024;

/** Reads the schemas in the folder of a chart. Throws an InvalidChartError. */
export async function readSchemas(folder: string): Promise<ChartSchemas> {
  const valuesSchema = await readSchema(folder, "values.schema.json", parseJson);
  const uiSchema = await readSchema(folder, "azimuth-ui.schema.yaml", parseYamlAsJson);
  return {
    ...(Object.keys(valuesSchema).length > 0 && { valuesSchema }),
    ...(Object.keys(uiSchema).length > 0 && { uiSchema }),
  };
}

/** A time, which YAML knows, is stored as a text. */
function parseYamlAsJson(text: string): unknown {
  return parseJson(formatJson(parseYaml(text, "the schema", "typed")));
}

async function readSchema(
  folder: string,
  file: string,
  parse: (text: string) => unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await readChartFile(join(folder, file), file);
  if (text === undefined) return {};
  let schema: unknown;
  try {
    schema = parse(text) ?? {};
  } catch (error) {
    throw new InvalidChartError(`${file} cannot be parsed`, { cause: error });
  }
  if (!isRecord(schema)) throw new InvalidChartError(`${file} is not an object`);
  return schema;
}

/** Undefined if it does not exist. A link in an archive could lead to any file of the operator, and is no schema. */
async function readChartFile(path: string, file: string): Promise<string | undefined> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile()) throw new InvalidChartError(`${file} is not a file`);
    if (stats.size > mostFileBytes)
      throw new InvalidChartError(`${file} has more than ${mostFileBytes / 1024} KB`);
    return await readFile(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
