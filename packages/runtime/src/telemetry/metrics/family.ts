import { headText, labelText, type Series, valueText } from "./series.ts";

export type MetricType = "counter" | "gauge" | "histogram";

export interface MetricOptions<Labels extends readonly string[] = readonly string[]> {
  /** Counters end in `_total`. */
  readonly name: string;
  readonly help: string;
  /** Default: none. Their values must be few: each combination is held for ever. */
  readonly labels?: Labels;
}

/** A value for each label, in their order. */
export type LabelValues<Labels extends readonly string[]> = { readonly [Index in keyof Labels]: string };

/** A metric by its name: all of its series. */
export interface Renderable {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  /** The lines of its series, under this name; empty if there are none. */
  renderSeries(name: string): string;
}

/** A metric whose series are there from when they were first asked for. */
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

  /** The series of these labels; keep it where it is used often. */
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

/** One sample of a metric that is read when it is scraped. */
export interface Sample {
  /** In the order of the metric's labels. */
  readonly labels: readonly string[];
  readonly value: number;
}

/** A metric that holds nothing: its samples are what is the case when it is scraped. */
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

/** The same series under another name [MX4]. */
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

/** A metric without series is left out, as Go's are. */
export function renderFamily(family: Renderable): string {
  const { name, help, type } = family;
  const lines = family.renderSeries(name);
  return lines === "" ? "" : `${headText(name, help, type)}${lines}`;
}
