import { Optional } from "@marcbachmann/cel-js";

/** A value of CEL that may be empty. */
export function optionalOf<T>(value: T | undefined): Optional<T> {
  return value === undefined ? Optional.none() : Optional.of(value);
}
