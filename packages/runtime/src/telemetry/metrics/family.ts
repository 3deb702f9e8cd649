import { headText, labelText, type Series, valueText } from "./series.ts";

/** The type of a metric, as Prometheus names it. */
export type MetricType = "counter" | "gauge" | "histogram";

/** The definition of a metric. */
export interface MetricOptions<Labels extends readonly string[] = readonly string[]> {
  /** Counters end in `_total`. */
  readonly name: string;
  readonly help: string;
  /** Default: none. They must have few values: each combination is kept forever. */
  readonly labels?: Labels;
}

/** A value for each label, in their order. */
export type LabelValues<Labels extends readonly string[]> = { readonly [Index in keyof Labels]: string };

/** A metric with all of its series. */
export interface Renderable {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  /** The lines of its series, under this name; empty if there are none. */
  renderSeries(name: string): string;
}

/** A metric whose series are created on first use. */
export class Family<Labels extends readonly string[], Kind extends Series> implements Renderable {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  readonly #series = new Map<string, Kind>();
  readonly #make: (values: readonly string[]) => Kind;

  constructor(type: MetricType, { name, help }: MetricOptions, make: (values: readonly string[]) => Kind) {
    this.name = name;
    this.help = help;
    this.type = type;
    this.#make = make;
  }

  /** The series of these labels; keep it if it is used often. */
  with(...values: LabelValues<Labels>): Kind {
    const key = values.length === 1 ? (values[0] ?? "") : JSON.stringify(values);
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const made = this.#make(values);
    this.#series.set(key, made);
    return made;
  }

  renderSeries(name: string): string {
    let text = "";
    for (const series of this.#series.values()) text += series.render(name);
    return text;
  }
}

/** One sample of a collected metric. */
export interface Sample {
  /** In the order of the metric's labels. */
  readonly labels: readonly string[];
  readonly value: number;
}

/** A metric without state, whose samples are collected at each scrape. */
export class CollectedFamily implements Renderable {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  readonly #labels: readonly string[];
  readonly #collect: () => Iterable<Sample>;

  constructor(
    type: Exclude<MetricType, "histogram">,
    { name, help, labels = [] }: MetricOptions,
    collect: () => Iterable<Sample>,
  ) {
    this.name = name;
    this.help = help;
    this.type = type;
    this.#labels = labels;
    this.#collect = collect;
  }

  renderSeries(name: string): string {
    let text = "";
    for (const { labels, value } of this.#collect())
      text += `${name}${labelText(this.#labels, labels)} ${valueText(value)}\n`;
    return text;
  }
}

/** A metric under another name [MX4]. */
export class AliasFamily implements Renderable {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  readonly #of: Renderable;

  constructor(name: string, of: Renderable) {
    this.name = name;
    this.help = `The same as ${of.name}.`;
    this.type = of.type;
    this.#of = of;
  }

  renderSeries(name: string): string {
    return this.#of.renderSeries(name);
  }
}

/** The text of a metric; empty if it has no series, as in Go. */
export function renderFamily(family: Renderable): string {
  const { name, help, type } = family;
  const lines = family.renderSeries(name);
  return lines === "" ? "" : `${headText(name, help, type)}${lines}`;
}
