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
import { HistogramSeries, ScalarSeries } from "./series.ts";

export interface HistogramOptions<Labels extends readonly string[]> extends MetricOptions<Labels> {
  /** Upper bounds, ascending. Values above the last one are counted too. */
  readonly buckets: readonly number[];
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

  /** Throws a DuplicateMetricError or an InvalidMetricError, as all of these. */
  counter<const Labels extends readonly string[] = []>(
    options: MetricOptions<Labels>,
  ): Family<Labels, ScalarSeries> {
    return this.#scalar("counter", options);
  }

  gauge<const Labels extends readonly string[] = []>(
    options: MetricOptions<Labels>,
  ): Family<Labels, ScalarSeries> {
    return this.#scalar("gauge", options);
  }

  histogram<const Labels extends readonly string[] = []>(
    options: HistogramOptions<Labels>,
  ): Family<Labels, HistogramSeries> {
    const { name, buckets } = options;
    const names: readonly string[] = options.labels ?? [];
    if (names.includes("le")) throw new InvalidMetricError(name, "the label le is the buckets' own");
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

  /** A metric whose samples are asked for at each scrape. No two may have the same labels. Must be quick, not throw. */
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
    for (const family of this.#families.values()) text += renderFamily(family);
    return text;
  }

  #scalar<Labels extends readonly string[]>(
    type: "counter" | "gauge",
    options: MetricOptions<Labels>,
  ): Family<Labels, ScalarSeries> {
    const names = options.labels ?? [];
    return this.#add(
      new Family<Labels, ScalarSeries>(type, options, (values) => new ScalarSeries(names, values)),
      names,
    );
  }

  #add<Kind extends Renderable>(family: Kind, labels: readonly string[]): Kind {
    const { name } = family;
    if (!validName.test(name)) throw new InvalidMetricError(name, "it is no name of a metric");
    const wrong = labels.find((label) => !validLabel.test(label));
    if (wrong !== undefined) throw new InvalidMetricError(name, `${wrong} is no name of a label`);
    if (this.#families.has(name)) throw new DuplicateMetricError(name);
    this.#families.set(name, family);
    return family;
  }
}
