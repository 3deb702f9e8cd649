import { toError } from "@keelson/core";
import { DuplicateMetricError, InvalidMetricError } from "./errors.ts";
import {
  AliasFamily,
  CollectedFamily,
  Family,
  type MetricOptions,
  type MetricType,
  type Renderable,
  renderFamily,
  type Sample,
} from "./family.ts";
import { CounterSeries, GaugeSeries, HistogramSeries } from "./series.ts";

/** The definition of a histogram. */
export interface HistogramOptions<Labels extends readonly string[]> extends MetricOptions<Labels> {
  /** Upper bounds, ascending. Values above the last one are counted too. */
  readonly buckets: readonly number[];
}

/** The options of a registry. */
export interface MetricsRegistryOptions {
  /** Called when a metric starts to fail to be collected. Default: not called. */
  readonly onBroken?: (metric: string, error: Error) => void;
}

const validName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const validLabel = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * The metrics of a process, and their text for Prometheus. It has the metrics of Keelson, and an operator can add its own.
 * It is fast in two ways that the usual library is not: a series is looked up once and then costs an addition, and a
 * scrape joins prepared text [MX6].
 */
export class MetricsRegistry {
  readonly #families = new Map<string, Renderable>();
  /** The names of all samples. */
  readonly #taken = new Set<string>();
  readonly #onBroken: (metric: string, error: Error) => void;
  /** The metrics that could not be collected at the last scrape. */
  readonly #broken = new Set<string>();

  constructor(options: MetricsRegistryOptions = {}) {
    this.#onBroken = options.onBroken ?? (() => undefined);
  }

  /** Adds a counter. Throws a DuplicateMetricError or an InvalidMetricError, as all methods that add a metric. */
  counter<const Labels extends readonly string[] = []>(
    options: MetricOptions<Labels>,
  ): Family<Labels, CounterSeries> {
    const names = options.labels ?? [];
    const make = (values: readonly string[]): CounterSeries => new CounterSeries(names, values);
    return this.#add(new Family<Labels, CounterSeries>("counter", options, make), names);
  }

  gauge<const Labels extends readonly string[] = []>(
    options: MetricOptions<Labels>,
  ): Family<Labels, GaugeSeries> {
    const names = options.labels ?? [];
    const make = (values: readonly string[]): GaugeSeries => new GaugeSeries(names, values);
    return this.#add(new Family<Labels, GaugeSeries>("gauge", options, make), names);
  }

  histogram<const Labels extends readonly string[] = []>(
    options: HistogramOptions<Labels>,
  ): Family<Labels, HistogramSeries> {
    const { name, buckets } = options;
    const names: readonly string[] = options.labels ?? [];
    if (names.includes("le")) throw new InvalidMetricError(name, "the label le is reserved for buckets");
    if (!buckets.every(Number.isFinite))
      throw new InvalidMetricError(
        name,
        "a bucket's bound is no finite number; the last bucket has none anyway",
      );
    if (buckets.some((bound, index) => bound <= (buckets[index - 1] ?? Number.NEGATIVE_INFINITY)))
      throw new InvalidMetricError(name, "its buckets do not ascend");
    return this.#add(
      new Family<Labels, HistogramSeries>(
        "histogram",
        options,
        (values) => new HistogramSeries(names, values, buckets),
      ),
      names,
    );
  }

  /**
   * Adds a metric whose samples are collected at each scrape. No two samples may have the same labels. `collect` must be
   * quick; if it throws, the metric is left out.
   */
  collected(
    type: Exclude<MetricType, "histogram">,
    options: MetricOptions,
    collect: () => Iterable<Sample>,
  ): void {
    this.#add(new CollectedFamily(type, options, collect), options.labels ?? []);
  }

  /** Adds a second name for a metric. */
  alias(name: string, of: Renderable): void {
    this.#add(new AliasFamily(name, of), []);
  }

  /** The text of all metrics with a sample, in the order in which they were added. */
  render(): string {
    let text = "";
    for (const family of this.#families.values()) text += this.#textOf(family);
    return text;
  }

  /** A metric that fails must not affect the other metrics; it is reported once, until it works again. */
  #textOf(family: Renderable): string {
    try {
      const text = renderFamily(family);
      this.#broken.delete(family.name);
      return text;
    } catch (error) {
      if (!this.#broken.has(family.name)) this.#onBroken(family.name, toError(error));
      this.#broken.add(family.name);
      return "";
    }
  }

  #add<Kind extends Renderable>(family: Kind, labels: readonly string[]): Kind {
    const { name } = family;
    if (!validName.test(name)) throw new InvalidMetricError(name, "it is not a valid name of a metric");
    const wrong = labels.find((label) => !validLabel.test(label));
    if (wrong !== undefined) throw new InvalidMetricError(name, `${wrong} is not a valid name of a label`);
    const twice = labels.find((label, index) => labels.indexOf(label) !== index);
    if (twice !== undefined) throw new InvalidMetricError(name, `it has the label ${twice} twice`);
    const samples = sampleNames(family);
    const taken = samples.find((sample) => this.#taken.has(sample));
    if (taken !== undefined) throw new DuplicateMetricError(taken);
    for (const sample of samples) this.#taken.add(sample);
    this.#families.set(name, family);
    return family;
  }
}

/** The names of the samples of a metric, and its own name, which no other metric may have. */
function sampleNames({ name, type }: Renderable): readonly string[] {
  return type === "histogram" ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}
