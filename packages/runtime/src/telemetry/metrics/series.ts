import { CounterDecreaseError } from "./errors.ts";
import { boundText, labelText, valueText } from "./exposition-text.ts";

/** The samples of a metric that share all labels. */
export interface Series {
  /** Its lines, under the name of the metric or an alias of it. */
  render(name: string): string;
}

/** A value that only grows. */
export interface Counter {
  add(amount?: number): void;
}

/** A value that goes up and down. */
export interface Gauge extends Counter {
  set(value: number): void;
}

/** Counts values by how large they are. */
export interface Histogram {
  observe(value: number): void;
}

export class CounterSeries implements Series, Counter {
  readonly #labels: string;
  #value = 0;

  constructor(names: readonly string[], values: readonly string[]) {
    this.#labels = labelText(names, values);
  }

  /** Throws a CounterDecreaseError if the amount is below 0, or no number. */
  add(amount = 1): void {
    if (!(amount >= 0)) throw new CounterDecreaseError(amount);
    this.#value += amount;
  }

  render(name: string): string {
    return `${name}${this.#labels} ${valueText(this.#value)}\n`;
  }
}

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

/** All that can be known before a value comes is put together once: a scrape of many controllers is to be quick [MX6]. */
export class HistogramSeries implements Series, Histogram {
  readonly #bounds: readonly number[];
  /** How many values fell into each bucket and no lower one; the last are above all bounds. */
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

  /** What is no number is not counted: it would make the sum none for ever. */
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
