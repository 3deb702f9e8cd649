import { compareText } from "@keelson/core";
import type { ValidationRule } from "@keelson/core/kinds/apiextensions/v1";
import { z } from "zod";
import { extensionsWithin } from "./extension.ts";
import { withRules } from "./extension-schema.ts";
import type { SchemaPosition } from "./schema-position.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** Makes the structural schema of a part. */
export type OfPart = (schema: z.core.$ZodType, at: SchemaPosition) => StructuralSchema;

/** An object with the fields it names. The server drops other fields, or keeps them if the object is loose. */
export function objectSchema(
  def: z.core.$ZodObjectDef,
  at: SchemaPosition,
  ofPart: OfPart,
): StructuralSchema {
  const properties: Record<string, StructuralSchema> = {};
  const required: string[] = [];
  const rules: ValidationRule[] = [];
  // The order in which fields were declared must not show, so that moving one changes nothing.
  const fields = Object.entries(def.shape).sort(([a], [b]) => compareText(a, b));
  for (const [name, field] of fields) {
    const there = at.field(name);
    const node = ofPart(field, there);
    properties[name] = node;
    const isRequired = field._zod.optin === undefined;
    if (isRequired) required.push(name);
    const message = extensionsWithin(field).findLast(({ immutable }) => immutable !== undefined)?.immutable;
    const canBeAbsent = !isRequired && node.default === undefined;
    if (message !== undefined && (canBeAbsent || node.nullable === true)) {
      rules.push(...presenceRule(name, message, there));
    }
  }
  const node: StructuralSchema = {
    type: "object",
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
    ...unknownFields(def, at),
  };
  return withRules(node, rules);
}

/**
 * A rule on a field is not evaluated when the field is added or removed, so that an immutable field could be removed and then
 * set anew; only its parent sees that.
 */
function presenceRule(name: string, message: string, at: SchemaPosition): readonly ValidationRule[] {
  const field = celField(name);
  if (field === undefined) {
    at.report("is immutable, and CEL has no way to name it", "rename the field, or make it required");
    return [];
  }
  return [{ rule: `has(self.${field}) == has(oldSelf.${field})`, message, fieldPath: fieldPath(name) }];
}

function fieldPath(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name}']`;
}

function unknownFields(def: z.core.$ZodObjectDef, at: SchemaPosition): StructuralSchema {
  const rest = def.catchall;
  // A strict object refuses unknown fields. The server drops them, and warns or refuses if the client requests it.
  if (rest === undefined || rest instanceof z.core.$ZodNever) return {};
  if (rest instanceof z.core.$ZodUnknown || rest instanceof z.core.$ZodAny) {
    return { "x-kubernetes-preserve-unknown-fields": true };
  }
  at.report(
    "has named fields and a .catchall() schema, and a structural schema has either",
    "use z.record() in a field of its own",
  );
  return {};
}

/** Words that CEL keeps for itself; a field of that name is written `__in__`. */
const reserved: ReadonlySet<string> = new Set([
  ...["true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if"],
  ...["import", "let", "loop", "package", "namespace", "return", "var", "void", "while"],
]);

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** How a CEL rule names a field of an object; undefined for a field that CEL cannot reach. */
export function celField(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return undefined;
  return name.replaceAll(/__|[./-]/g, (found) => escapes[found] ?? found);
}
