/** A value that somebody gave a setting. */
export interface GivenValue {
  readonly value: unknown;
  /** Where, for people: `--metrics-port`, `KEELSON_METRICS_PORT`, `keelson.yaml:3`. */
  readonly origin: string;
}

/** What one source of configuration says. */
export interface Reading {
  /** By the name of the setting. */
  readonly given: ReadonlyMap<string, GivenValue>;
  /** What is wrong with the source itself, a line for each. */
  readonly problems: readonly string[];
}

export const nothingRead: Reading = { given: new Map(), problems: [] };
