/** A metric in the Prometheus text format. */
export interface ParsedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly ParsedSample[];
}

interface ParsedSample {
  /** With `_bucket` and the like. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const helpLine = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/s;
const typeLine = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)$/;
const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/s;
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;

/**
 * Parses metrics in the Prometheus text format. Throws for every problem that `promtool check metrics` reports, and for
 * more: each metric must have one HELP, one TYPE and at least one sample, all together; no sample may be repeated; buckets
 * must ascend and end with `+Inf`, which is the count; only the names of counters end in `_total`.
 */
export function parseExposition(text: string): ReadonlyMap<string, ParsedMetric> {
  if (!text.endsWith("\n")) throw new Error("the last line has no line break");
  const metrics = new Map<string, ParsedMetric>();
  let lines = text.slice(0, -1).split("\n");
  while (lines.length > 0) {
    const { metric, rest } = parseMetric(lines);
    if (metrics.has(metric.name)) throw new Error(`${metric.name} is repeated`);
    metrics.set(metric.name, metric);
    lines = rest;
  }
  return metrics;
}

function parseMetric(lines: readonly string[]): { metric: ParsedMetric; rest: string[] } {
  const [name, help] = groupsOf(helpLine, lines[0]);
  const [typeName, type] = groupsOf(typeLine, lines[1]);
  if (typeName !== name) throw new Error(`the TYPE line after the HELP of ${name} is of ${typeName}`);
  const end = lines.findIndex((line, index) => index >= 2 && line.startsWith("#"));
  const rest = end === -1 ? [] : lines.slice(end);
  const samples = lines.slice(2, end === -1 ? undefined : end).map(parseSample);
  const metric = { name, help, type: typeOf(type), samples };
  checkMetric(metric);
  return { metric, rest };
}

function typeOf(text: string): ParsedMetric["type"] {
  if (text === "counter" || text === "gauge" || text === "histogram") return text;
  throw new Error(`${text} is not a type`);
}

function parseSample(line: string): ParsedSample {
  const [name, labelText, valueText] = groupsOf(sampleLine, line);
  return {
    name,
    labels: parseLabels(labelText),
    value: parseValue(valueText),
  };
}

function parseLabels(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  while (label.lastIndex < text.length) {
    const [name, value] = groupsOf(label, text);
    if (name in labels) throw new Error(`the label ${name} is repeated: ${text}`);
    labels[name] = value.replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
  }
  return labels;
}

function parseValue(text: string): number {
  if (text === "+Inf") return Number.POSITIVE_INFINITY;
  if (text === "-Inf") return Number.NEGATIVE_INFINITY;
  if (text === "NaN") return Number.NaN;
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text)) throw new Error(`${text} is not a value`);
  return Number(text);
}

function checkMetric({ name, type, samples }: ParsedMetric): void {
  if (samples.length === 0) throw new Error(`${name} has no samples`);
  if ((type === "counter") !== name.endsWith("_total")) throw new Error(`${name} is a ${type}`);
  const seen = new Set<string>();
  for (const sample of samples) {
    const id = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
    if (seen.has(id)) throw new Error(`a sample is repeated: ${id}`);
    seen.add(id);
    if (type !== "histogram" && sample.name !== name)
      throw new Error(`${sample.name} does not belong to ${name}`);
    if (type === "counter" && !(sample.value >= 0)) throw new Error(`${id} is negative`);
  }
  if (type === "histogram") checkHistogram(name, samples);
}

function checkHistogram(name: string, samples: readonly ParsedSample[]): void {
  const groups = new Map<string, ParsedSample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const id = JSON.stringify(labels);
    groups.set(id, [...(groups.get(id) ?? []), sample]);
  }
  for (const [id, group] of groups) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const rest = group.slice(buckets.length).map((sample) => sample.name);
    if (rest.join() !== `${name}_sum,${name}_count`) throw new Error(`${name} ${id} has ${rest.join()}`);
    const bounds = buckets.map(({ labels }) => parseValue(labels.le ?? ""));
    if (
      !isAscending(bounds) ||
      !isAscending(
        buckets.map(({ value }) => value),
        true,
      )
    )
      throw new Error(`the buckets of ${name} ${id} do not ascend`);
    const last = buckets.at(-1);
    if (last?.labels.le !== "+Inf" || last.value !== group.at(-1)?.value)
      throw new Error(`the last bucket of ${name} ${id} is not the count`);
  }
}

function isAscending(values: readonly number[], mayRepeat = false): boolean {
  return values.every((value, index) => {
    const before = values[index - 1] ?? Number.NEGATIVE_INFINITY;
    return mayRepeat ? value >= before : value > before;
  });
}

/** The first three groups of a match; a group without a match is empty. */
function groupsOf(pattern: RegExp, line = ""): readonly [string, string, string] {
  const found = pattern.exec(line);
  if (found === null) throw new Error(`the line does not match ${pattern.source}: ${line}`);
  const [, first = "", second = "", third = ""] = found;
  return [first, second, third];
}
