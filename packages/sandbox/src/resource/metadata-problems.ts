import type { KubeObject, ObjectMeta, OwnerReference, Scope } from "@keelson/core";
import {
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  required,
} from "../status/field-problem.ts";
import { labelsProblems } from "./label-problems.ts";
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  pathSegmentProblems,
  qualifiedNameProblems,
} from "./name-problems.ts";

/** The rules for the metadata of a kind. */
export interface MetadataRules {
  readonly scope: Scope;
  /** Default: DNS subdomain. */
  nameProblem?(name: string): string | undefined;
  /** Whether finalizers must be those of Kubernetes or have a domain, as for built-in kinds. */
  readonly knowsFinalizers?: boolean;
}

const annotationsLimitBytes = 256 * 1024;
const knownFinalizers: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** The problems of the metadata of a new object, after its name was generated. */
export function metadataProblems(object: KubeObject, rules: MetadataRules): readonly FieldProblem[] {
  return [...nameProblems(object.metadata, rules), ...commonProblems(object.metadata, rules)];
}

function nameProblems({ name, generateName }: ObjectMeta, rules: MetadataRules): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (generateName !== undefined && generateName !== "") {
    for (const detail of problemsOfName(withoutTrailingDash(generateName), rules)) {
      problems.push(invalidValue("metadata.generateName", generateName, detail));
    }
  }
  if (name === undefined || name === "") {
    problems.push(required("metadata.name", "name or generateName is required"));
  } else {
    for (const detail of problemsOfName(name, rules)) {
      problems.push(invalidValue("metadata.name", name, detail));
    }
  }
  return problems;
}

function problemsOfName(name: string, { nameProblem }: MetadataRules): readonly string[] {
  if (nameProblem === undefined) return dnsSubdomainProblems(name);
  const problem = nameProblem(name);
  return problem === undefined ? pathSegmentProblems(name) : [problem];
}

/** A prefix may end with "-", because a suffix follows. The server checks it this way. */
function withoutTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix;
}

function commonProblems(meta: ObjectMeta, rules: MetadataRules): readonly FieldProblem[] {
  const { generation = 0, finalizers } = meta;
  const problems: FieldProblem[] = [...namespaceProblems(meta, rules)];
  if (generation < 0) {
    problems.push(invalidValue("metadata.generation", generation, "must be greater than or equal to 0"));
  }
  problems.push(...labelsProblems(meta.labels, "metadata.labels"));
  problems.push(...annotationsProblems(meta.annotations, "metadata.annotations"));
  problems.push(...ownerReferencesProblems(meta.ownerReferences));
  problems.push(...finalizersProblems(finalizers, rules));
  return problems;
}

function namespaceProblems(
  { namespace = "" }: ObjectMeta,
  { scope }: MetadataRules,
): readonly FieldProblem[] {
  const field = "metadata.namespace";
  if (scope === "Cluster") {
    return namespace === "" ? [] : [forbiddenField(field, "not allowed on this type")];
  }
  if (namespace === "") return [required(field)];
  return dnsLabelProblems(namespace).map((detail) => invalidValue(field, namespace, detail));
}

export function annotationsProblems(
  annotations: Readonly<Record<string, string>> | undefined,
  field: string,
): readonly FieldProblem[] {
  if (annotations === undefined) return [];
  const problems: FieldProblem[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    for (const detail of qualifiedNameProblems(key.toLowerCase())) {
      problems.push(invalidValue(field, key, detail));
    }
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (size > annotationsLimitBytes) {
    const detail = `may not be more than ${annotationsLimitBytes} bytes`;
    problems.push({ type: "FieldValueTooLong", field, detail });
  }
  return problems;
}

function ownerReferencesProblems(references: ObjectMeta["ownerReferences"]): readonly FieldProblem[] {
  if (references === undefined) return [];
  const field = "metadata.ownerReferences";
  const problems: FieldProblem[] = [];
  let controller: string | undefined;
  for (const reference of references) {
    problems.push(...ownerReferenceProblems(reference, field));
    if (reference.controller !== true) continue;
    const name = `${reference.kind ?? ""}/${reference.name ?? ""}`;
    if (controller === undefined) {
      controller = name;
    } else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      problems.push(invalidValue(field, references.map(inFieldOrder), detail));
    }
  }
  return problems;
}

function ownerReferenceProblems(reference: Partial<OwnerReference>, field: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { apiVersion = "", kind = "" } = reference;
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  // A text with more than one slash has no version either.
  if (version === "" || version.includes("/")) {
    problems.push(invalidValue(`${field}.apiVersion`, apiVersion, "version must not be empty"));
  }
  for (const name of ["kind", "name", "uid"] as const) {
    const value = reference[name] ?? "";
    if (value === "") problems.push(invalidValue(`${field}.${name}`, value, "must not be empty"));
  }
  if (apiVersion === "v1" && kind === "Event") {
    const detail = "/v1, Kind=Event is disallowed from being an owner";
    problems.push(invalidValue(field, inFieldOrder(reference), detail));
  }
  return problems;
}

/** The reference as the server prints it. */
function inFieldOrder(reference: Partial<OwnerReference>): Readonly<Record<string, unknown>> {
  const { controller, blockOwnerDeletion } = reference;
  return {
    apiVersion: reference.apiVersion ?? "",
    kind: reference.kind ?? "",
    name: reference.name ?? "",
    uid: reference.uid ?? "",
    ...(controller === undefined ? {} : { controller }),
    ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
  };
}

function finalizersProblems(
  finalizers: readonly string[] | undefined,
  rules: MetadataRules,
): readonly FieldProblem[] {
  if (finalizers === undefined || finalizers.length === 0) return [];
  const field = "metadata.finalizers";
  const problems: FieldProblem[] = finalizers.flatMap((finalizer) =>
    qualifiedNameProblems(finalizer).map((detail) => invalidValue(field, finalizer, detail)),
  );
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    const detail = "finalizer orphan and foregroundDeletion cannot be both set";
    problems.push(invalidValue(field, finalizers, detail));
  }
  return [...problems, ...(rules.knowsFinalizers === true ? unknownFinalizers(finalizers, field) : [])];
}

/** The problems of finalizers without a domain that are not those of Kubernetes. */
export function unknownFinalizers(finalizers: readonly string[], field: string): readonly FieldProblem[] {
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  return finalizers.flatMap((finalizer, index) =>
    finalizer.includes("/") || knownFinalizers.has(finalizer)
      ? []
      : [invalidValue(indexed(field, index), finalizer, detail)],
  );
}

/**
 * The problems of the metadata of an object that replaces another. Fields that the server resets (creationTimestamp,
 * generation, managed fields) must have been reset before.
 */
export function metadataUpdateProblems(
  object: KubeObject,
  old: KubeObject,
  rules: MetadataRules,
): readonly FieldProblem[] {
  const { metadata } = object;
  const problems: FieldProblem[] = [];
  if (old.metadata.deletionTimestamp !== undefined) problems.push(...newFinalizers(metadata, old.metadata));
  if (metadata.resourceVersion === undefined || metadata.resourceVersion === "") {
    problems.push(invalidValue("metadata.resourceVersion", "", "must be specified for an update"));
  }
  for (const name of immutableFields) {
    const value = metadata[name];
    if (value !== old.metadata[name]) {
      problems.push(invalidValue(`metadata.${name}`, value ?? emptyValueOf(name), "field is immutable"));
    }
  }
  return [...problems, ...commonProblems(metadata, rules)];
}

const immutableFields = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

function emptyValueOf(name: (typeof immutableFields)[number]): "" | null {
  return name === "name" || name === "namespace" || name === "uid" ? "" : null;
}

function newFinalizers(meta: ObjectMeta, old: ObjectMeta): readonly FieldProblem[] {
  const before = new Set(old.finalizers);
  const added = [...new Set(meta.finalizers)].filter((finalizer) => !before.has(finalizer)).sort();
  if (added.length === 0) return [];
  const list = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(", ")}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  return [forbiddenField("metadata.finalizers", detail)];
}
