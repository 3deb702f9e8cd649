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

export interface HistogramOptions<Labels extends readonly string[]> extends MetricOptions<Labels> {
  /** Upper bounds, ascending. Values above the last one are counted too. */
  readonly buckets: readonly number[];
}

export interface MetricsRegistryOptions {
  /** Told of a metric that cannot be collected, when that begins. Default: nobody is. */
  readonly onBroken?: (metric: string, error: Error) => void;
}

const validName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const validLabel = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * Metrics by name, and their text for Prometheus. Keelson's own are in it; an operator adds its own to them. Written for
 * what a runtime needs and the usual library lacks: a series is found once and then costs an addition, and a scrape
 * puts prepared text together [MX6].
 */
export class MetricsRegistry {
  readonly #families = new Map<string, Renderable>();
  /** All names of samples. */
  readonly #taken = new Set<string>();
  readonly #onBroken: (metric: string, error: Error) => void;
  /** Those that could not be collected when they were last asked for. */
  readonly #broken = new Set<string>();

  constructor(options: MetricsRegistryOptions = {}) {
    this.#onBroken = options.onBroken ?? (() => undefined);
  }

  /** Throws a DuplicateMetricError or an InvalidMetricError, as all of these. */
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
    if (names.includes("le")) throw new InvalidMetricError(name, "the label le is the buckets' own");
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
   * A metric whose samples are asked for at each scrape. No two may have the same labels. Must be quick; if it throws, the
   * metric is left out.
   */
  collected(
    type: Exclude<MetricType, "histogram">,
    options: MetricOptions,
    collect: () => Iterable<Sample>,
  ): void {
    this.#add(new CollectedFamily(type, options, collect), options.labels ?? []);
  }

  /** Shows a metric under a second name. */
  alias(name: string, of: Renderable): void {
    this.#add(new AliasFamily(name, of), []);
  }

  /** All metrics that have a value, in the order in which they were made. */
  render(): string {
    let text = "";
    for (const family of this.#families.values()) text += this.#textOf(family);
    return text;
  }

  /** One that is broken must not cost all others, and is told of once, until it works again. */
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
    if (!validName.test(name)) throw new InvalidMetricError(name, "it is no name of a metric");
    const wrong = labels.find((label) => !validLabel.test(label));
    if (wrong !== undefined) throw new InvalidMetricError(name, `${wrong} is no name of a label`);
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

/** Under which names the samples of a metric stand; its own is nobody else's either. */
function sampleNames({ name, type }: Renderable): readonly string[] {
  return type === "histogram" ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}
