import type { ValidationRule } from "@keelson/core/kinds/apiextensions/v1";
import type { z } from "zod";
import { extend } from "../structural/extension.ts";

/**
 * The schema with a CEL rule that the API server holds values to (`x-kubernetes-validations`). zod does not evaluate
 * it. Call it again for another rule.
 *
 *     rule(z.object({ min: z.int(), max: z.int() }), {
 *       rule: "self.min <= self.max",
 *       message: "min must not be greater than max",
 *     })
 *
 * The server estimates what a rule costs at worst and refuses one that is too dear: give lists a `.max()` and strings
 * a `.max()` where rules look at them.
 */
export function rule<S extends z.ZodType>(schema: S, validation: ValidationRule): S {
  return extend(schema, { rule: validation });
}

/**
 * The schema of a value that stays as it was when the object was created: it cannot be changed, and if it is optional it
 * can neither be added nor taken away later. An object that can itself be left out takes its immutable fields with it:
 * make it required or immutable too. So does an entry of a list map or a record, which can be removed and added anew.
 */
export function immutable<S extends z.ZodType>(schema: S, message = "must not be changed"): S {
  return extend(schema, { immutable: message });
}
