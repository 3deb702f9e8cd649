/** The replacement of a secret in a log. */
export const redacted = "[redacted]";

/**
 * A value that must not be shown. As a string, as JSON and when inspected it is `[redacted]`; only `reveal` returns the
 * value.
 */
export class Sensitive<Value> {
  readonly #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  reveal(): Value {
    return this.#value;
  }

  toString(): string {
    return redacted;
  }

  toJSON(): string {
    return redacted;
  }
}

// Used by `util.inspect` of Node, and so by `console`.
Object.defineProperty(Sensitive.prototype, Symbol.for("nodejs.util.inspect.custom"), {
  value: (): string => redacted,
});

/** Wraps a value so that no log shows it. */
export function sensitive<Value>(value: Value): Sensitive<Value> {
  return new Sensitive(value);
}
