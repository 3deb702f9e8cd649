import { deepEqual, type GenericObject, isRecord, type Stored } from "@keelson/core";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from "@keelson/core/kinds/apiextensions/v1";
import type { ValidationRule } from "../../cel/rule-tree.ts";
import { decoded, type MutableObject } from "../../resource/mutable-object.ts";
import { withoutNulls } from "../../resource/without-nulls.ts";
import type { FieldSchema } from "../../schema/field-schema.ts";

export type Definition = CustomResourceDefinition;
export type DefinitionVersion = CustomResourceDefinitionVersion;

/** The store and the server hold what the kind's schema says: everything was decoded by it. Empty lists are left out. */
export function definitionOf(object: GenericObject | MutableObject): Definition {
  return decoded<Definition>(withoutNulls(object));
}

/** The same for an object that was read from the store. */
export function storedDefinitionOf(object: GenericObject): Stored<Definition> {
  return decoded<Stored<Definition>>(object);
}

/** A schema as it is written in a definition; validation has made sure that `items` is one schema. */
export function fieldSchemaOf(schema: JSONSchemaProps): FieldSchema {
  return schema as FieldSchema;
}

/**
 * Where the real server looks for a part of the versions: if all have the same, it keeps it once for all of them, and
 * its messages name that place.
 */
export function sharedPart<T>(
  versions: readonly DefinitionVersion[],
  part: (version: DefinitionVersion) => T | undefined,
): T | undefined {
  const [first] = versions;
  const value = first && part(first);
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
  return versions.every((version) => deepEqual(part(version), value)) ? value : undefined;
}

export function hasCondition({ status }: Definition, type: string): boolean {
  return (status?.conditions ?? []).some((one) => one.type === type && one.status === "True");
}

export const crdCollection = "customresourcedefinitions.apiextensions.k8s.io";
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

type Fields = Readonly<Record<string, unknown>>;

/** Fills in the names that follow from the kind, and that objects are not converted. */
export function setDefinitionDefaults(object: MutableObject): void {
  const { spec } = object;
  if (!isRecord(spec)) return;
  const names = isRecord(spec.names) ? { names: withNames(spec.names) } : {};
  const conversion = isRecord(spec.conversion) ? withPort(spec.conversion) : { strategy: "None" };
  object.spec = { ...spec, ...names, conversion };
}

function withNames(names: Fields): Fields {
  const kind = typeof names.kind === "string" ? names.kind : "";
  if (kind === "") return names;
  return {
    ...names,
    singular: isGiven(names.singular) ? names.singular : kind.toLowerCase(),
    listKind: isGiven(names.listKind) ? names.listKind : `${kind}List`,
  };
}

function isGiven(text: unknown): boolean {
  return text !== undefined && text !== "";
}

function withPort(conversion: Fields): Fields {
  const webhook = isRecord(conversion.webhook) ? conversion.webhook : {};
  const client = isRecord(webhook.clientConfig) ? webhook.clientConfig : {};
  if (!isRecord(client.service) || client.service.port !== undefined) return conversion;
  const clientConfig = { ...client, service: { ...client.service, port: 443 } };
  return { ...conversion, webhook: { ...webhook, clientConfig } };
}

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
