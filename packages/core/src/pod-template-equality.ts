import { deepEqual } from "./deep-equal.ts";
import { normalForm } from "./normal-form.ts";

/**
 * Whether two pod templates mean the same, both as one side wrote them or both as the server stored them.
 *
 * Not a difference: a field that is absent, null, an empty list or map, or the zero value of a field for which the
 * server keeps none; how a quantity is written (`1` and `1000m`); a port as a number or as its digits. A difference:
 * everything else, also the order of every list, and a default that is spelt out on one side only. To compare what is
 * wanted with what the server stored, use isCoveredBy.
 */
export function podTemplatesEqual(a: object, b: object): boolean {
  return deepEqual(normalForm(a, "", "drop"), normalForm(b, "", "drop"));
}
