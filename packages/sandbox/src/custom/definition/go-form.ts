import type { ValidationRule } from "../../cel/rule-tree.ts";
import type { DefinitionVersion } from "./definition.ts";

/** A version of a definition as messages of the real server print it; what all versions share is not in it. */
export function goVersion(version: DefinitionVersion): Readonly<Record<string, unknown>> {
  return {
    Name: version.name,
    Served: version.served ?? false,
    Storage: version.storage ?? false,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  };
}

/** A rule as messages of the real server print it. */
export function goRule(rule: ValidationRule): Readonly<Record<string, unknown>> {
  return {
    Rule: rule.rule,
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}
