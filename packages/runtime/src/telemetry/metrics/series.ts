import { CounterDecreaseError } from "./errors.ts";

/** The samples of a metric with the same labels. */
export interface Series {
  /** Its lines, under the name of the metric or an alias of it. */
  render(name: string): string;
}

/** A value that only increases. */
export interface Counter {
  add(amount?: number): void;
}

/** A value that increases and decreases. */
export interface Gauge extends Counter {
  set(value: number): void;
}

/** Counts values by their size. */
export interface Histogram {
  observe(value: number): void;
}

/** The series of a counter. */
export class CounterSeries implements Series, Counter {
  readonly #labels: string;
  #value = 0;

  constructor(names: readonly string[], values: readonly string[]) {
    this.#labels = labelText(names, values);
  }

  /** Throws a CounterDecreaseError if the amount is negative or not a number. */
  add(amount = 1): void {
    if (!(amount >= 0)) throw new CounterDecreaseError(amount);
    this.#value += amount;
  }

  render(name: string): string {
    return `${name}${this.#labels} ${valueText(this.#value)}\n`;
  }
}

/** The series of a gauge. */
export class GaugeSeries implements Series, Gauge {
  readonly #labels: string;
  #value = 0;

  constructor(names: readonly string[], values: readonly string[]) {
    this.#labels = labelText(names, values);
  }

  add(amount = 1): void {
    this.#value += amount;
  }

  set(value: number): void {
    this.#value = value;
  }

  render(name: string): string {
    return `${name}${this.#labels} ${valueText(this.#value)}\n`;
  }
}

/** The series of a histogram. Its labels are formatted once, so that a scrape of many controllers is quick [MX6]. */
export class HistogramSeries implements Series, Histogram {
  readonly #bounds: readonly number[];
  /** The number of values per bucket, not cumulative; the last bucket has no bound. */
  readonly #counts: number[];
  readonly #bucketLabels: readonly string[];
  readonly #labels: string;
  #sum = 0;

  constructor(names: readonly string[], values: readonly string[], bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
    this.#labels = labelText(names, values);
    this.#bucketLabels = [...bounds, Number.POSITIVE_INFINITY].map(
      (bound) => `_bucket${labelText([...names, "le"], [...values, boundText(bound)])} `,
    );
  }

  /** Ignores NaN, which would make the sum NaN forever. */
  observe(value: number): void {
    if (Number.isNaN(value)) return;
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  render(name: string): string {
    let text = "";
    let below = 0;
    for (const [bucket, labels] of this.#bucketLabels.entries()) {
      below += this.#counts[bucket] ?? 0;
      text += `${name}${labels}${below}\n`;
    }
    return `${text}${name}_sum${this.#labels} ${valueText(this.#sum)}\n${name}_count${this.#labels} ${below}\n`;
  }
}

/** The content type of the text. */
export const expositionContentType = "text/plain; version=0.0.4; charset=utf-8";

/** The labels, such as `{controller="webapp",result="success"}`; empty if there are none. */
export function labelText(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return "";
  return `{${names.map((name, index) => `${name}="${escapeLabel(values[index] ?? "")}"`).join(",")}}`;
}

/** The lines before the samples of a metric. */
export function headText(name: string, help: string, type: string): string {
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
}

/** The text of a value. */
export function valueText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

/**
 * The bound of a bucket in the format of Go. It is a label, and labels are compared as text: a recording rule for a Go
 * operator must match `1e-08`, which JavaScript would format as `1e-8`.
 */
export function boundText(bound: number): string {
  if (!Number.isFinite(bound)) return valueText(bound);
  const [digits, exponentText = ""] = bound.toExponential().split("e");
  const exponent = Number(exponentText);
  if (bound === 0 || (exponent >= -4 && exponent < 21)) return String(bound);
  const sign = exponent < 0 ? "-" : "+";
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function escapeLabel(value: string): string {
  return /[\\"\n]/.test(value)
    ? value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
    : value;
}

function escapeHelp(help: string): string {
  return help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
