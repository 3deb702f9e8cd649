import type { GenericObject } from "keelson";
import { isRecord } from "keelson/low-level";
import { parseAllDocuments, type Tags } from "yaml";
import { HelmFormatError } from "./errors.ts";

/** What a chart is called, as its Chart.yaml says. */
export interface ChartMetadata {
  readonly name: string;
  readonly version: string;
}

/** Reads a Chart.yaml; `where` is for messages. Throws a HelmFormatError. */
export function parseChartMetadata(text: string, where: string): ChartMetadata {
  const [chart] = parseDocuments(text, where);
  if (!isRecord(chart) || typeof chart.name !== "string" || typeof chart.version !== "string")
    throw new HelmFormatError(`read ${where}: it has no name and version of a chart`);
  return { name: chart.name, version: chart.version };
}

/** The objects that a chart renders to. Throws a HelmFormatError. */
export function parseManifests(text: string, where: string): readonly GenericObject[] {
  return parseDocuments(text, where).map((object) => {
    if (isObject(object)) return object;
    throw new HelmFormatError(`read ${where}: a document has no apiVersion and kind`);
  });
}

function isObject(value: unknown): value is GenericObject {
  return (
    isRecord(value) &&
    typeof value.apiVersion === "string" &&
    typeof value.kind === "string" &&
    isRecord(value.metadata)
  );
}

/**
 * Reads YAML as Helm does: version 1.1 without timestamps, and the last of equal keys counts. A document may consist of a
 * comment. Errors say where, and never quote the text: the line with the mistake may hold a secret.
 */
function parseDocuments(text: string, where: string): readonly unknown[] {
  const documents = parseAllDocuments(text, {
    version: "1.1",
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
    customTags: (tags) => tags.filter((tag) => !isTime(tag)),
  });
  return [...documents].flatMap((document) => {
    const [problem] = document.errors;
    if (problem !== undefined) {
      const line = text.slice(0, problem.pos[0]).split("\n").length;
      throw new HelmFormatError(`read ${where}: line ${line} is not YAML (${problem.code.toLowerCase()})`);
    }
    const value: unknown = document.toJS();
    return value === null || value === undefined ? [] : [value];
  });
}

/** Times of day are numbers in base 60. */
function isTime(tag: Tags[number]): boolean {
  if (typeof tag === "string") return tag === "timestamp" || tag === "intTime" || tag === "floatTime";
  return tag.tag === "tag:yaml.org,2002:timestamp" || ("format" in tag && tag.format === "TIME");
}
