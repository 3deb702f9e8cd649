import { isRecord } from "@keelson/core";
import type { Transcript } from "./stage.ts";

/** Names for what differs between two runs: the same value has the same name, numbered by the order of appearance. */
class CommonNames {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  of(sort: string, value: string): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const count = (this.#counts.get(sort) ?? 0) + 1;
    this.#counts.set(sort, count);
    const name = `<${sort}-${count}>`;
    this.#names.set(value, name);
    return name;
  }
}

/** The letters of generated names: no vowels, and nothing that looks like another. */
const safe = "[bcdfghjklmnpqrstvwxz2456789]";
const patterns: readonly (readonly [sort: string, pattern: RegExp, isNumbered: boolean])[] = [
  ["token", /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, false],
  ["pem", /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----\n?/g, false],
  ["certificate", /\bLS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t[\w+/]+=*/g, false],
  ["uid", /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, true],
  ["fingerprint", /\b[0-9a-f]{64}\b/g, false],
  ["time", /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g, false],
  ["time", /\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} [+-]\d{4}/g, false],
  ["ip", /\b10\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g, false],
  ["ip", /\b172\.16\.\d{1,3}\.\d{1,3}\b/g, false],
  ["hash", new RegExp(`(?<=(pod-template|controller-revision)-hash[=:] ?)${safe}+\\b`, "g"), false],
  ["node", /\bhollow-\d\b/g, false],
  ["event", /(?<=\.)[0-9a-f]{16}\b/g, false],
  ["release", /\bv1\.36\.\d+(\+\w+)?/g, false],
  ["type", /\bselfType\d*/g, false],
  ["server", /\b127\.0\.0\.1:\d+\b/g, false],
  ["suffix", new RegExp(`(?<=-)${safe}{8,10}-${safe}{5}\\b`, "g"), false],
  ["suffix", new RegExp(`(?<=[-_])${safe}{5}\\b`, "g"), false],
  ["suffix", new RegExp(`(?<=-)${safe}{8,10}\\b`, "g"), false],
];
/** A line that kubectl logs, such as that a watch has ended at an unlucky moment. */
const kubectlLog = /^[EWI]\d{4} \d{2}:\d{2}:\d{2}\.\d+ .*\n/gm;
/** Versions within a text, such as a path, or an object that a message repeats. */
const versionInText =
  /(resourceVersion(?:\\*": ?\\*"|=)|resource version: \d+, current: |ResourceVersion in record \()[1-9]\d*/g;
const continueInText = /(?<=[?&]continue=)eyJ[^&]+/g;
const age = /(?<![\w-])(\d+[smhd]|\d+m\d+s|\d+h\d+m|<invalid>|<unknown>)(?![\w-])/g;

/** Gives what may differ between two servers common names, and sorts what has no order. */
export function normalise(transcript: Transcript): Transcript {
  const names = new CommonNames();
  return transcript.map(({ step, outcome }) => ({
    step: text(step, names),
    outcome: value(outcome, names),
  }));
}

function value(given: unknown, names: CommonNames, key = ""): unknown {
  if (key === "stdout" && isJsonObject(given)) return value(JSON.parse(given), names);
  if (typeof given === "string") return named(key, given, names);
  if (typeof given === "number" && (key === "nodePort" || key === "healthCheckNodePort")) return "<port>";
  if (key === "managedFields" && Array.isArray(given)) return managedFields(given, names);
  if (key === "columnDefinitions" && Array.isArray(given))
    return given.map((column) => tableColumn(column, names));
  if (key === "cells" && Array.isArray(given)) return given.map((cell) => tableCell(cell, names));
  if (Array.isArray(given)) return given.map((element) => value(element, names));
  if (!isRecord(given)) return given;
  // In one order, so that what is numbered by its appearance has the same number wherever a server puts it.
  const entries = Object.entries(withSortedCauses(given)).toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  return Object.fromEntries(entries.map(([name, field]) => [text(name, names), value(field, names, name)]));
}

/** What kubectl prints as JSON is compared by its values: the order of fields is no promise. */
function isJsonObject(given: unknown): given is string {
  if (typeof given !== "string" || !given.startsWith("{")) return false;
  try {
    return isRecord(JSON.parse(given));
  } catch {
    return false;
  }
}

function named(key: string, given: string, names: CommonNames): string {
  if (key === "resourceVersion") return given === "" || given === "0" ? given : "<version>";
  if (key === "continue") return given === "" ? "" : "<continue>";
  if (key === "pod-template-hash" || key === "controller-revision-hash") return "<hash>";
  if (key === "controller.kubernetes.io/hash") return "<hash>";
  return key === "stdout" || key === "stderr" ? plainText(given, names) : text(given, names);
}

/** They are ordered by their times, which are those of the clock on the wall. */
function managedFields(entries: readonly unknown[], names: CommonNames): readonly unknown[] {
  return entries
    .map((entry) => value(entry, names))
    .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

/** Each server describes a column in its own words; that it has a description is compared. */
function tableColumn(column: unknown, names: CommonNames): unknown {
  const named = value(column, names);
  if (!isRecord(named) || typeof named.description !== "string" || named.description === "") return named;
  return { ...named, description: "<description>" };
}

function tableCell(cell: unknown, names: CommonNames): unknown {
  return typeof cell === "string" ? text(cell, names).replaceAll(age, "<age>") : value(cell, names);
}

function text(given: string, names: CommonNames): string {
  return patterns.reduce(
    (result, [sort, pattern, isNumbered]) =>
      result.replaceAll(pattern, (found) => (isNumbered ? names.of(sort, found) : `<${sort}>`)),
    given.replaceAll(versionInText, "$1<version>").replaceAll(continueInText, "<continue>"),
  );
}

/** What people read: ages and the width of columns differ with them. */
function plainText(given: string, names: CommonNames): string {
  return text(given, names)
    .replaceAll(age, "<age>")
    .replaceAll(/resourceVersion: "\d+"/g, 'resourceVersion: "<version>"')
    .replaceAll(/(?<=Resource Version: +)\d+/g, "<version>")
    .replaceAll(kubectlLog, "")
    .replaceAll(/\b(LIVE|MERGED)-(\d+|<suffix>)/g, "$1")
    .replaceAll(/\t\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d+ [+-]\d{4}/g, "")
    .replaceAll(/(?<=^DESCRIPTION:)(\n(?: .*)?)+/gm, "\n")
    .split("\n")
    .map((line) => line.replaceAll(/(?<=\S)\s{2,}/g, "  ").trimEnd())
    .join("\n");
}

/** The causes of a refusal may come in the order of a Go map, and the message repeats them in it. */
function withSortedCauses(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { details, message } = record;
  if (record.kind !== "Status" || !isRecord(details) || !Array.isArray(details.causes)) return record;
  const causes = details.causes.filter(isRecord);
  const rank = ({ field, message }: Readonly<Record<string, unknown>>): string => `${field} ${message}`;
  const sorted = causes.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
  const inOrder =
    typeof message === "string" ? message.replace(listOf(causes), () => listOf(sorted)) : message;
  return { ...record, message: inOrder, details: { ...details, causes: sorted } };
}

/** How a message lists several causes. */
function listOf(causes: readonly Readonly<Record<string, unknown>>[]): string {
  return `[${causes.map(({ field, message }) => `${field}: ${message}`).join(", ")}]`;
}
