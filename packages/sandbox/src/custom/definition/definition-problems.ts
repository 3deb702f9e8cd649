import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionNames,
  CustomResourceSubresources,
  CustomResourceValidation,
  JSONSchemaProps,
  SelectableField,
} from "@keelson/core/kinds/apiextensions/v1";
import { textOf } from "../../builtin/value-problems.ts";
import { resolveFieldPath } from "../../cel/field-path.ts";
import { dns1035LabelProblems, dnsSubdomainProblems } from "../../resource/name-problems.ts";
import {
  duplicateValue,
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import { conversionProblems } from "./conversion-problems.ts";
import {
  type Definition,
  type DefinitionVersion,
  fieldSchemaOf,
  goVersion,
  sharedPart,
} from "./definition.ts";
import { defaultValueProblems, schemaFormProblems } from "./schema-form-problems.ts";
import { structuralProblems } from "./structural-problems.ts";

/** What is wrong with the spec of a definition, in the words and at the places of the real server. */
export function specProblems({ spec }: Definition): readonly FieldProblem[] {
  const { versions = [], names } = spec;
  const shared = {
    schema: sharedPart(versions, (version) => version.schema),
    subresources: sharedPart(versions, (version) => version.subresources),
    columns: sharedPart(versions, (version) => version.additionalPrinterColumns),
    selectable: sharedPart(versions, (version) => version.selectableFields),
  };
  const hasStatus = versions.some((version) => version.subresources?.status !== undefined);
  return [
    ...groupProblems(spec.group ?? ""),
    ...scopeProblems(spec.scope ?? ""),
    ...versions.flatMap((version, index) =>
      version.schema?.openAPIV3Schema === undefined
        ? [required(`${indexed("spec.versions", index)}.schema.openAPIV3Schema`)]
        : [],
    ),
    ...versions.flatMap((version, index) =>
      versionProblems(version, indexed("spec.versions", index), shared),
    ),
    ...versionListProblems(spec.versions),
    ...missingNameProblems(names),
    ...namesProblems(names, "spec.names"),
    ...validationProblems(shared.schema, "spec.validation", hasStatus),
    ...subresourceProblems(shared.subresources, "spec.subresources"),
    ...columnsProblems(shared.columns, "spec.additionalPrinterColumns"),
    ...selectableProblems(shared.selectable, versions[0]?.schema?.openAPIV3Schema, "spec.selectableFields"),
    ...conversionProblems(spec.conversion),
  ];
}

function groupProblems(group: string): readonly FieldProblem[] {
  if (group === "") return [required("spec.group")];
  const problems = dnsSubdomainProblems(group);
  if (problems.length > 0) return [invalidValue("spec.group", group, problems.join(","))];
  return group.includes(".")
    ? []
    : [invalidValue("spec.group", group, "should be a domain with at least one dot")];
}

function scopeProblems(scope: string): readonly FieldProblem[] {
  if (scope === "") return [required("spec.scope")];
  const supported = ["Cluster", "Namespaced"];
  return supported.includes(scope) ? [] : [notSupported("spec.scope", scope, supported)];
}

interface SharedParts {
  readonly schema: CustomResourceValidation | undefined;
  readonly subresources: CustomResourceSubresources | undefined;
  readonly columns: readonly CustomResourceColumnDefinition[] | undefined;
  readonly selectable: readonly SelectableField[] | undefined;
}

function versionProblems(
  version: DefinitionVersion,
  path: string,
  shared: SharedParts,
): readonly FieldProblem[] {
  const { deprecated = false, deprecationWarning } = version;
  const name = textOf(version.name);
  const nameProblems = dns1035LabelProblems(name);
  const problems =
    nameProblems.length === 0 ? [] : [invalidValue(`${path}.name`, name, nameProblems.join(","))];
  for (const detail of warningProblems(deprecated, deprecationWarning)) {
    problems.push(invalidValue(`${path}.deprecationWarning`, deprecationWarning, detail));
  }
  const hasStatus = version.subresources?.status !== undefined;
  if (shared.schema === undefined)
    problems.push(...validationProblems(version.schema, `${path}.schema`, hasStatus));
  if (shared.subresources === undefined) {
    problems.push(...subresourceProblems(version.subresources, `${path}.subresources`));
  }
  if (shared.columns === undefined) {
    problems.push(...columnsProblems(version.additionalPrinterColumns, `${path}.additionalPrinterColumns`));
  }
  if (shared.selectable === undefined) {
    const schema = version.schema?.openAPIV3Schema;
    problems.push(...selectableProblems(version.selectableFields, schema, `${path}.selectableFields`));
  }
  return problems;
}

function warningProblems(isDeprecated: boolean, warning: string | undefined): readonly string[] {
  if (warning === undefined) return [];
  if (!isDeprecated) return ["can only be set for deprecated versions"];
  const problems: string[] = [];
  if (warning.length > 256) problems.push("must be <= 256 characters long");
  if (warning === "") problems.push("must not be an empty string");
  const index = warning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (index >= 0) {
    problems.push(
      `must only contain printable UTF-8 characters; non-printable character found at index ${index}`,
    );
  }
  return problems;
}

function versionListProblems(given: readonly DefinitionVersion[] | undefined): readonly FieldProblem[] {
  const versions = given ?? [];
  const problems: FieldProblem[] = [];
  const shown = given?.map(goVersion) ?? null;
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length) {
    problems.push(invalidValue("spec.versions", shown, "must contain unique version names"));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    problems.push(
      invalidValue("spec.versions", shown, "must have exactly one version marked as storage version"),
    );
  }
  const [first] = names;
  const firstProblems = first ? dns1035LabelProblems(first) : [];
  if (firstProblems.length > 0) problems.push(invalidValue("spec.version", first, firstProblems.join(",")));
  return problems;
}

function columnsProblems(
  columns: readonly CustomResourceColumnDefinition[] | undefined,
  path: string,
): readonly FieldProblem[] {
  return (columns ?? []).flatMap((column, index) => columnProblems(column, indexed(path, index)));
}

/** A schema is looked at from three sides; one that is not structural is not read any further. */
function validationProblems(
  validation: CustomResourceValidation | undefined,
  path: string,
  hasStatus: boolean,
): readonly FieldProblem[] {
  const schema = validation?.openAPIV3Schema;
  if (schema === undefined) return [];
  const place = `${path}.openAPIV3Schema`;
  const problems: FieldProblem[] = [];
  if (hasStatus && schema.type !== undefined && schema.type !== "object") {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    problems.push(invalidValue(`${place}.type`, schema.type, detail));
  }
  if (schema.nullable === true) {
    problems.push(forbiddenField(`${place}.nullable`, "nullable cannot be true at the root"));
  }
  const ofStructure = hasUnreadableParts(schema) ? undefined : structureProblems(schema, place);
  problems.push(...(ofStructure ?? []));
  problems.push(...schemaFormProblems(schema, place, ofStructure !== undefined && ofStructure.length === 0));
  return problems;
}

function structureProblems(schema: JSONSchemaProps, place: string): readonly FieldProblem[] {
  const found = structuralProblems(fieldSchemaOf(schema), place);
  return found.length > 0 ? found : defaultValueProblems(fieldSchemaOf(schema), place);
}

/** Whether a schema has keywords that a structural schema cannot have; other checks report them. */
function hasUnreadableParts(schema: JSONSchemaProps): boolean {
  const { properties = {}, additionalProperties, items } = schema;
  const isUnreadable =
    schema.$ref !== undefined ||
    schema["x-kubernetes-preserve-unknown-fields"] === false ||
    schema.definitions !== undefined ||
    schema.dependencies !== undefined ||
    schema.patternProperties !== undefined ||
    schema.additionalItems !== undefined ||
    schema.uniqueItems === true ||
    Array.isArray(items);
  if (isUnreadable) return true;
  const inner = [...Object.values(properties)];
  if (typeof additionalProperties === "object") inner.push(additionalProperties);
  if (items !== undefined && !("length" in items)) inner.push(items);
  return inner.some(hasUnreadableParts);
}

const mostSelectableFields = 8;

function selectableProblems(
  fields: readonly SelectableField[] | undefined,
  schema: JSONSchemaProps | undefined,
  path: string,
): readonly FieldProblem[] {
  if (fields === undefined || fields.length === 0) return [];
  if (schema === undefined)
    return [invalidValue(path, "", "may only be set when validations.schema is included")];
  const problems: FieldProblem[] = [];
  const seen = new Set<string>();
  for (const [index, { jsonPath = "" }] of fields.entries()) {
    const field = `${indexed(path, index)}.jsonPath`;
    const found = jsonPath === "" ? undefined : resolveFieldPath(jsonPath, fieldSchemaOf(schema), false);
    if (found === undefined) problems.push(required(field));
    else if (typeof found === "string")
      problems.push(invalidValue(field, jsonPath, `is an invalid path: ${found}`));
    else {
      if (found.root === "metadata") {
        problems.push(invalidValue(field, jsonPath, "must not point to fields in metadata"));
      }
      if (!["string", "boolean", "integer"].includes(found.schema.type ?? "")) {
        const detail =
          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
        problems.push(invalidValue(field, jsonPath, detail));
      }
      if (seen.has(found.text)) problems.push(duplicateValue(field, jsonPath));
      seen.add(found.text);
    }
  }
  if (seen.size > mostSelectableFields) {
    const detail = `must have at most ${mostSelectableFields} items`;
    problems.push({ type: "FieldValueTooMany", field: path, value: seen.size, detail });
  }
  return problems;
}

/** The problems of the names of a kind, as requested (`spec.names`) or as accepted (`status.acceptedNames`). */
export function namesProblems(names: CustomResourceDefinitionNames, field: string): readonly FieldProblem[] {
  const { plural = "", singular = "", kind = "", listKind = "", shortNames = [], categories = [] } = names;
  const problems: FieldProblem[] = [
    ...labelProblems(plural, `${field}.plural`),
    ...labelProblems(singular, `${field}.singular`),
    ...kindProblems(kind, `${field}.kind`),
    ...kindProblems(listKind, `${field}.listKind`),
    ...shortNames.flatMap((name, index) => labelProblems(name, indexed(`${field}.shortNames`, index), true)),
  ];
  if (kind !== "" && kind === listKind) {
    problems.push(invalidValue(`${field}.listKind`, listKind, "kind and listKind may not be the same"));
  }
  const ofCategories = categories.flatMap((name, index) =>
    labelProblems(name, indexed(`${field}.categories`, index), true),
  );
  return [...problems, ...ofCategories];
}

function missingNameProblems(names: CustomResourceDefinitionNames): readonly FieldProblem[] {
  return (["plural", "singular", "kind", "listKind"] as const)
    .filter((name) => (names[name] ?? "") === "")
    .map((name) => required(`spec.names.${name}`));
}

function labelProblems(name: string, field: string, isRequired = false): readonly FieldProblem[] {
  const problems = name === "" && !isRequired ? [] : dns1035LabelProblems(name);
  return problems.length === 0 ? [] : [invalidValue(field, name, problems.join(","))];
}

function kindProblems(kind: string, field: string): readonly FieldProblem[] {
  const problems = kind === "" ? [] : dns1035LabelProblems(kind.toLowerCase());
  if (problems.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
  return [invalidValue(field, kind, detail)];
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

function columnProblems(column: CustomResourceColumnDefinition, path: string): readonly FieldProblem[] {
  const { name, type = "", format = "", jsonPath = "" } = column;
  const problems: FieldProblem[] = name ? [] : [required(`${path}.name`)];
  const detail = `must be one of ${columnTypes.join(",")}`;
  if (type === "") problems.push(required(`${path}.type`, detail));
  else if (!columnTypes.includes(type)) problems.push(invalidValue(`${path}.type`, type, detail));
  if (format !== "" && !columnFormats.includes(format)) {
    problems.push(invalidValue(`${path}.format`, format, `must be one of ${columnFormats.join(",")}`));
  }
  if (jsonPath === "") return [...problems, required(`${path}.JSONPath`)];
  return [...problems, ...pathProblems(jsonPath, `${path}.JSONPath`)];
}

function subresourceProblems(
  subresources: CustomResourceSubresources | undefined,
  path: string,
): readonly FieldProblem[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const { specReplicasPath = "", statusReplicasPath = "", labelSelectorPath = "" } = scale;
  return [
    ...replicasProblems(specReplicasPath, `${path}.scale.specReplicasPath`, ".spec"),
    ...replicasProblems(statusReplicasPath, `${path}.scale.statusReplicasPath`, ".status"),
    ...selectorProblems(labelSelectorPath, `${path}.scale.labelSelectorPath`),
  ];
}

function replicasProblems(jsonPath: string, path: string, under: string): readonly FieldProblem[] {
  if (jsonPath === "") return [required(path)];
  const problems = pathProblems(jsonPath, path);
  if (problems.length > 0 || jsonPath.startsWith(`${under}.`)) return problems;
  return [invalidValue(path, jsonPath, `should be a json path under ${under}`)];
}

function selectorProblems(jsonPath: string, path: string): readonly FieldProblem[] {
  const problems = jsonPath === "" ? [] : pathProblems(jsonPath, path);
  if (jsonPath === "" || problems.length > 0 || /^\.(spec|status)\./.test(jsonPath)) return problems;
  return [invalidValue(path, jsonPath, "should be a json path under either .spec or .status")];
}

function pathProblems(jsonPath: string, path: string): readonly FieldProblem[] {
  return jsonPath.startsWith(".")
    ? []
    : [invalidValue(path, jsonPath, "must be a simple json path starting with .")];
}
