import { isTimeZone } from "./time-zone.ts";

/** Fields of a schedule, in order: least and most value, and the names that stand for numbers. */
const fields: readonly CronField[] = [
  { least: 0, most: 59, names: [] },
  { least: 0, most: 23, names: [] },
  { least: 1, most: 31, names: [] },
  { least: 1, most: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  { least: 0, most: 6, names: "sun mon tue wed thu fri sat".split(" ") },
];

interface CronField {
  readonly least: number;
  readonly most: number;
  readonly names: readonly string[];
}

const descriptors: ReadonlySet<string> = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);

/** What is wrong with a cron schedule, in the words of the server's parser; undefined if nothing is. */
export function scheduleProblem(schedule: string): string | undefined {
  const [, zone, rest = schedule] = /^(?:CRON_)?TZ=(\S*) (.*)$/s.exec(schedule) ?? [];
  if (zone !== undefined && !isTimeZone(zone)) {
    return `provided bad location ${zone}: unknown time zone ${zone}`;
  }
  const text = zone === undefined ? rest : rest.trim();
  if (text.startsWith("@")) return descriptorProblem(text);
  const parts = text.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== fields.length) {
    return `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`;
  }
  return firstProblem(parts, (part, index) => fieldProblem(part, fields[index]));
}

function descriptorProblem(text: string): string | undefined {
  if (descriptors.has(text)) return undefined;
  const every = "@every ";
  if (!text.startsWith(every)) return `unrecognized descriptor: ${text}`;
  const duration = text.slice(every.length);
  return isDuration(duration)
    ? undefined
    : `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`;
}

/** `1h30m`, as Go writes durations. */
function isDuration(text: string): boolean {
  return /^[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text);
}

function fieldProblem(part: string, field: CronField | undefined): string | undefined {
  if (field === undefined) return undefined;
  const ranges = part.split(",").filter((range) => range !== "");
  return firstProblem(ranges, (range) => rangeProblem(range, field));
}

function rangeProblem(range: string, field: CronField): string | undefined {
  const [span = "", step, ...moreSteps] = range.split("/");
  const [low = "", high, ...moreEnds] = span.split("-");
  const ends = endsOf(low, high, field);
  if (moreEnds.length > 0 && low !== "*" && low !== "?") return `too many hyphens: ${range}`;
  if (typeof ends === "string") return ends;
  const width = step === undefined ? 1 : numberOf(step);
  if (moreSteps.length > 0) return `too many slashes: ${range}`;
  if (typeof width === "string") return width;
  // A start with a step but without an end goes to the end of the field.
  const start = ends[0];
  const end = step !== undefined && high === undefined ? field.most : ends[1];
  if (start < field.least) return `beginning of range (${start}) below minimum (${field.least}): ${range}`;
  if (end > field.most) return `end of range (${end}) above maximum (${field.most}): ${range}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`;
  return width === 0 ? `step of range should be a positive number: ${range}` : undefined;
}

function endsOf(low: string, high: string | undefined, field: CronField): readonly [number, number] | string {
  if (low === "*" || low === "?") return [field.least, field.most];
  const start = numberFor(low, field);
  if (typeof start === "string") return start;
  const end = high === undefined ? start : numberFor(high, field);
  return typeof end === "string" ? end : [start, end];
}

function numberFor(text: string, { names, least }: CronField): number | string {
  const index = names.indexOf(text.toLowerCase());
  return index === -1 ? numberOf(text) : index + least;
}

/** The number, or the problem. */
function numberOf(text: string): number | string {
  if (/^[-+]?\d+$/.test(text)) {
    const value = Number(text);
    if (!Number.isSafeInteger(value)) return unreadable(text, "value out of range");
    return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
  }
  return unreadable(text, "invalid syntax");
}

function unreadable(text: string, why: string): string {
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`;
}

function firstProblem(
  parts: readonly string[],
  problemOf: (part: string, index: number) => string | undefined,
): string | undefined {
  for (const [index, part] of parts.entries()) {
    const problem = problemOf(part, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
