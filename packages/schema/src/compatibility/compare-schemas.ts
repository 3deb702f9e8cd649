import { deepEqual, isRecord } from "@keelson/core";
import type { JSONSchemaProps, ValidationRule } from "@keelson/core/kinds/apiextensions/v1";
import type { Note } from "./compare-crds.ts";
import { compareLimits } from "./compare-limits.ts";

/** Notes where an object that fits the last schema may not fit the next one, or would lose something. */
export function compareSchemas(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  compareRules(last, next, path, note);
  if (!accepts(typeOf(next), typeOf(last))) {
    note("breaking", path, `The type changed from ${typeOf(last)} to ${typeOf(next)}.`);
    return;
  }
  compareDefaults(last, next, path, note);
  compareLimits(last, next, path, note);
  compareMerging(last, next, path, note);
  compareFields(last, next, path, note);
  const [wasItem, isItem] = [itemOf(last), itemOf(next)];
  if (wasItem !== undefined && isItem !== undefined) compareSchemas(wasItem, isItem, `${path}[]`, note);
}

function typeOf(node: JSONSchemaProps): string {
  return node.type ?? (node["x-kubernetes-int-or-string"] === true ? "int-or-string" : "anything");
}

function accepts(next: string, last: string): boolean {
  if (next === last || next === "anything") return true;
  return next === "number"
    ? last === "integer"
    : next === "int-or-string" && (last === "integer" || last === "string");
}

function compareRules(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  // With optionalOldSelf, a rule also holds for what is new.
  const meaning = ({ rule, optionalOldSelf = false }: ValidationRule): string =>
    JSON.stringify([rule.trim(), optionalOldSelf]);
  const known = new Set((last["x-kubernetes-validations"] ?? []).map(meaning));
  for (const validation of next["x-kubernetes-validations"] ?? []) {
    if (known.has(meaning(validation))) continue;
    note("risky", path, `Stored objects may break the new rule ${validation.rule.trim()}.`);
  }
}

function compareDefaults(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  if (last.default === undefined || deepEqual(last.default, next.default)) return;
  const was = JSON.stringify(last.default);
  const how = next.default === undefined ? "is gone" : `changed to ${JSON.stringify(next.default)}`;
  note("risky", path, `The default ${was} ${how}.`);
}

/** How server-side apply merges, and what must be unique for it. */
function compareMerging(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  const wasList = last["x-kubernetes-list-type"] ?? "atomic";
  const isList = next["x-kubernetes-list-type"] ?? "atomic";
  if (wasList !== isList) {
    const severity = isList === "atomic" ? "risky" : "breaking";
    note(
      severity,
      path,
      `The list type changed from ${wasList} to ${isList}, so it is merged and owned differently.`,
    );
  } else if (!deepEqual(last["x-kubernetes-list-map-keys"], next["x-kubernetes-list-map-keys"])) {
    const keys = next["x-kubernetes-list-map-keys"] ?? [];
    note("breaking", path, `Other keys identify the elements: ${keys.join(", ")}.`);
  }
  const wasMap = last["x-kubernetes-map-type"] ?? "granular";
  const isMap = next["x-kubernetes-map-type"] ?? "granular";
  if (wasMap !== isMap) {
    note(
      "risky",
      path,
      `The map type changed from ${wasMap} to ${isMap}, so it is merged and owned differently.`,
    );
  }
  if (next["x-kubernetes-embedded-resource"] === true && last["x-kubernetes-embedded-resource"] !== true) {
    note("breaking", path, "It must be an object with apiVersion, kind and metadata now.");
  }
}

function compareFields(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  const keptUnknown = keepsUnknown(last);
  const keeps = keepsUnknown(next);
  if (keptUnknown && !keeps) note("breaking", path, "Unknown fields are not kept any more.");
  const rest = valuesOf(next);
  for (const [name, was] of Object.entries(last.properties ?? {})) {
    const is = next.properties?.[name] ?? rest;
    if (is !== undefined) compareSchemas(was, is, `${path}.${name}`, note);
    else if (!keeps) note("breaking", `${path}.${name}`, "The field is gone; the server drops it.");
  }
  compareNewFields(last, next, path, note);
  compareRequired(last, next, path, note);
}

function compareNewFields(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  const was = valuesOf(last);
  const is = valuesOf(next);
  if (was !== undefined && is !== undefined) compareSchemas(was, is, `${path}.*`, note);
  if (was !== undefined && is === undefined && !keepsUnknown(next)) {
    note("breaking", path, "It was a map of any keys, and keeps only the fields it names now.");
  }
  for (const [name, field] of Object.entries(next.properties ?? {})) {
    if (last.properties?.[name] !== undefined) continue;
    if (was !== undefined) compareSchemas(was, field, `${path}.${name}`, note);
    else if (keepsUnknown(last)) {
      note(
        "risky",
        `${path}.${name}`,
        "The field was free, and has a schema now that stored values may not fit.",
      );
    }
  }
}

function compareRequired(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  for (const name of next.required ?? []) {
    if (!mustBeGiven(name, next) || mustBeGiven(name, last)) continue;
    const isNew = last.properties?.[name] === undefined;
    const how = isNew ? "new and required" : "required now";
    note("breaking", `${path}.${name}`, `The field is ${how}, and has no default.`);
  }
}

/** Required, and no default steps in. */
function mustBeGiven(name: string, { required = [], properties = {} }: JSONSchemaProps): boolean {
  return required.includes(name) && properties[name]?.default === undefined;
}

function keepsUnknown(node: JSONSchemaProps): boolean {
  return node["x-kubernetes-preserve-unknown-fields"] === true || node.additionalProperties === true;
}

/** Structural schemas know one schema for all elements. */
function itemOf({ items }: JSONSchemaProps): JSONSchemaProps | undefined {
  return isRecord(items) ? items : undefined;
}

function valuesOf({ additionalProperties }: JSONSchemaProps): JSONSchemaProps | undefined {
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}
