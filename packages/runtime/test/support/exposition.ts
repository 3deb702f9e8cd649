/** A metric of an exposition, as Prometheus reads it. */
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
 * Reads an exposition, and throws for whatever `promtool check metrics` would complain of and more: each metric has one
 * HELP, one TYPE and at least one sample, all together; no sample comes twice; buckets ascend and end with `+Inf`,
 * which is the count; counters end in `_total` and only they do.
 */
export function parseExposition(text: string): ReadonlyMap<string, ParsedMetric> {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const metrics = new Map<string, ParsedMetric>();
  let lines = text.slice(0, -1).split("\n");
  while (lines.length > 0) {
    const { metric, rest } = parseMetric(lines);
    if (metrics.has(metric.name)) throw new Error(`${metric.name} comes twice`);
    metrics.set(metric.name, metric);
    lines = rest;
  }
  return metrics;
}

function parseMetric(lines: readonly string[]): { metric: ParsedMetric; rest: string[] } {
  const [, name = "", help = ""] = matchOf(helpLine, lines[0]);
  const [, typeName, type = ""] = matchOf(typeLine, lines[1]);
  if (typeName !== name) throw new Error(`the type of ${name} is given as that of ${typeName}`);
  const end = lines.findIndex((line, index) => index >= 2 && line.startsWith("#"));
  const rest = end === -1 ? [] : lines.slice(end);
  const samples = lines.slice(2, end === -1 ? undefined : end).map(parseSample);
  const metric = { name, help, type: typeOf(type), samples };
  checkMetric(metric);
  return { metric, rest };
}

function typeOf(text: string): ParsedMetric["type"] {
  if (text === "counter" || text === "gauge" || text === "histogram") return text;
  throw new Error(`${text} is no type`);
}

function parseSample(line: string): ParsedSample {
  const [, name = "", labelText, valueText = ""] = matchOf(sampleLine, line);
  return {
    name,
    labels: labelText === undefined ? {} : parseLabels(labelText),
    value: parseValue(valueText),
  };
}

function parseLabels(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  while (label.lastIndex < text.length) {
    const found = label.exec(text);
    if (found === null) throw new Error(`these are no labels: ${text}`);
    const [, name = "", value = ""] = found;
    if (name in labels) throw new Error(`the label ${name} comes twice: ${text}`);
    labels[name] = value.replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
  }
  return labels;
}

function parseValue(text: string): number {
  if (text === "+Inf") return Number.POSITIVE_INFINITY;
  if (text === "-Inf") return Number.NEGATIVE_INFINITY;
  if (text === "NaN") return Number.NaN;
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text)) throw new Error(`${text} is no value`);
  return Number(text);
}

function checkMetric({ name, type, samples }: ParsedMetric): void {
  if (samples.length === 0) throw new Error(`${name} has no samples`);
  if ((type === "counter") !== name.endsWith("_total")) throw new Error(`${name} is a ${type}`);
  const seen = new Set<string>();
  for (const sample of samples) {
    const id = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
    if (seen.has(id)) throw new Error(`a sample comes twice: ${id}`);
    seen.add(id);
    if (type !== "histogram" && sample.name !== name) throw new Error(`${sample.name} is not of ${name}`);
    if (type === "counter" && !(sample.value >= 0)) throw new Error(`${id} is below 0`);
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
      throw new Error(`${name} ${id} does not end with all`);
  }
}

function isAscending(values: readonly number[], mayRepeat = false): boolean {
  return values.every((value, index) => {
    const before = values[index - 1] ?? Number.NEGATIVE_INFINITY;
    return mayRepeat ? value >= before : value > before;
  });
}

function matchOf(pattern: RegExp, line = ""): RegExpExecArray {
  const found = pattern.exec(line);
  if (found === null) throw new Error(`not ${pattern.source}: ${line}`);
  return found;
}
