import type { z } from "zod";
import { extensionOf } from "./extension.ts";
import type { SchemaPosition } from "./schema-position.ts";

/** A limit on values that zod knows and a structural schema may know too. */
export type Constraint = z.core.$ZodChecks["_zod"]["def"];

/**
 * The constraints of a schema, in the order they were called. Reports what no schema can carry to the server: code
 * that judges or changes values.
 */
export function constraintsOf(schema: z.core.$ZodTypes, at: SchemaPosition): readonly Constraint[] {
  const { def } = schema._zod;
  // A schema such as z.email() is its own first check.
  const own: readonly z.core.$ZodCheck<never>[] =
    "check" in def && def.type !== "custom" && isCheck(schema) ? [schema] : [];
  const constraints: Constraint[] = [];
  for (const check of [...own, ...(def.checks ?? [])]) {
    if (extensionOf(check) !== undefined || isSilent(check._zod.def.check)) continue;
    if (isConstraint(check)) constraints.push(check._zod.def);
    else reportCode(check._zod.def.check, at);
  }
  return constraints;
}

/** Reports constraints where a structural schema has no words for them. */
export function refuseConstraints(constraints: readonly Constraint[], at: SchemaPosition): void {
  for (const { check } of constraints) {
    at.report(`has the check ${check}, which a structural schema cannot say`, "say it with rule()");
  }
}

function isCheck(schema: object): schema is z.core.$ZodCheck<never> {
  return "_zod" in schema;
}

/** Checks that only carry documentation. */
function isSilent(check: string): boolean {
  return check === "describe" || check === "meta";
}

function isConstraint(check: z.core.$ZodCheck<never>): check is z.core.$ZodChecks {
  return check._zod.def.check !== "custom" && check._zod.def.check !== "overwrite";
}

function reportCode(check: string, at: SchemaPosition): void {
  if (check === "overwrite") {
    at.report(
      "changes values (.trim(), .toLowerCase(), .overwrite())",
      "accept only what needs no change, with .regex()",
    );
  } else {
    at.report("has a refinement, which runs in JavaScript only", "say it as a CEL rule with rule()");
  }
}
