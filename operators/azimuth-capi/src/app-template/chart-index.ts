import { isRecord } from "keelson/low-level";
import { chartLabelAnnotation } from "../api/names.ts";
import { parseYaml } from "../yaml-text.ts";
import { RepositoryError } from "./errors.ts";

/** What the index of a repository says about one version of a chart. */
export interface IndexedVersion {
  readonly version: string;
  /** Is parsed when it is called. */
  readonly display: () => ChartDisplay;
}

/** How a chart is shown to people. Texts that are absent or empty are undefined. */
export interface ChartDisplay {
  readonly label: string | undefined;
  readonly logo: string | undefined;
  readonly description: string | undefined;
}

/** Parsing YAML blocks the process for about a second per megabyte. */
const mostYamlCharacters = 1024 * 1024;

/**
 * The part of an index that is about one chart, as a text of its own; undefined if the index has no such chart. Indexes have up
 * to tens of megabytes, so one that is written as Helm writes it is not parsed. Throws a RepositoryError or a NotYamlError if
 * the text is no index. The name of a chart consists of letters, digits and dashes.
 */
export function chartBlock(index: string, chart: string): string | undefined {
  const lines = index.split("\n");
  const start = lines.findIndex((line) => /^entries:\s*(?:#.*)?$/.test(line));
  if (start !== -1) return blockUnder(lines.slice(start + 1), chart);
  const parsed = parseText(index, "the index");
  if (!isRecord(parsed) || !isRecord(parsed.entries))
    throw new RepositoryError("the index has no entries; is this the URL of a repository of charts?");
  const versions = Object.hasOwn(parsed.entries, chart) ? parsed.entries[chart] : undefined;
  return versions === undefined ? undefined : JSON.stringify(versions);
}

function parseText(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (text.length <= mostYamlCharacters) return parseYaml(text, what, "typed");
    // biome-ignore lint/style/useErrorCause: that it is not JSON is no mistake
    throw new RepositoryError(`${what} is not written as Helm writes it, and too large to be parsed`);
  }
}

/** The lines of a chart: those after its name that are indented further, or as far and begin with a dash. */
function blockUnder(lines: readonly string[], chart: string): string | undefined {
  const first = lines.find(hasContent);
  const indent = first === undefined ? 0 : indentOf(first);
  if (indent === 0) return undefined;
  const name = new RegExp(`^ {${indent}}(["']?)${chart}\\1:\\s*(?:#.*)?$`);
  const end = lines.findIndex((line) => hasContent(line) && indentOf(line) < indent);
  const entries = end === -1 ? lines : lines.slice(0, end);
  const start = entries.findIndex((line) => name.test(line));
  if (start === -1) return undefined;
  const rest = entries.slice(start + 1);
  const next = rest.findIndex(
    (line) => hasContent(line) && indentOf(line) === indent && !isItem(line.slice(indent)),
  );
  // A copy: a part of a text keeps the whole text in memory.
  return Buffer.from((next === -1 ? rest : rest.slice(0, next)).join("\n")).toString();
}

function hasContent(line: string): boolean {
  return !/^\s*(?:#.*)?$/.test(line);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function isItem(text: string): boolean {
  return /^-(?:\s|$)/.test(text);
}

/** The versions in the part of an index that `chartBlock` returned. What has no version is left out. */
export function versionsIn(block: string): readonly IndexedVersion[] {
  if (block.trimStart().startsWith("-"))
    return itemsOf(block).flatMap((item) => {
      const version = versionOf(item);
      return version === undefined ? [] : [{ version, display: () => displayOf(parseItem(item)) }];
    });
  const versions = parseText(block, "the versions of the chart");
  return (Array.isArray(versions) ? versions : []).flatMap((value: unknown) =>
    isRecord(value) && typeof value.version === "string"
      ? [{ version: value.version, display: () => displayOf(value) }]
      : [],
  );
}

function itemsOf(block: string): readonly string[] {
  const indent = indentOf(block.split("\n").find(hasContent) ?? "");
  return block.split(new RegExp(`^(?= {${indent}}-(?:\\s|$))`, "m")).filter((item) => item.trim() !== "");
}

/** By its line, if that is written as usual. Fields of a version are indented as far as the first one, after the dash. */
function versionOf(item: string): string | undefined {
  const { length } = /^ *- +/.exec(item)?.[0] ?? "";
  const line = new RegExp(`^[ -]{${length}}version: +(["']?)([\\w.+-]+)\\1\\s*$`, "m").exec(item);
  if (length > 0 && line !== null) return line[2];
  const { version } = parseItem(item);
  return typeof version === "string" ? version : undefined;
}

function parseItem(item: string): Readonly<Record<string, unknown>> {
  const versions = parseYaml(item, "a version of the chart", "typed");
  const [version]: readonly unknown[] = Array.isArray(versions) ? versions : [];
  return isRecord(version) ? version : {};
}

function displayOf({
  name,
  icon,
  description,
  annotations,
}: Readonly<Record<string, unknown>>): ChartDisplay {
  const label = isRecord(annotations) ? textOf(annotations[chartLabelAnnotation]) : undefined;
  return { label: label ?? textOf(name), logo: textOf(icon), description: textOf(description) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
