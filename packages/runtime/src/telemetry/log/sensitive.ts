/** What stands in a log where a secret was. */
export const redacted = "[redacted]";

/**
 * A value that must not be shown. Whoever prints it, joins it to a text, turns it into JSON or inspects it gets
 * `[redacted]`; only `reveal` gives the value.
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

// What Node's `util.inspect`, and with it `console`, asks an object for its text by.
Object.defineProperty(Sensitive.prototype, Symbol.for("nodejs.util.inspect.custom"), {
  value: (): string => redacted,
});

/** Wraps a value so that no log shows it. */
export function sensitive<Value>(value: Value): Sensitive<Value> {
  return new Sensitive(value);
}
