import { isRecord } from "@keelson/core";
import { internalFields } from "./internal-form-fields.ts";

type Json = Readonly<Record<string, unknown>>;

interface InternalField {
  readonly name: string;
  readonly jsonName: string;
  /** Whether it is found in the spec of the pod, not where it is printed. */
  readonly isOfSpec: boolean;
  readonly form: string;
}

let types: ReadonlyMap<string, readonly InternalField[]> | undefined;

/** A pod's spec as the API server prints it in messages: in the form that it has in the server's memory. */
export function internalPodSpec(spec: Json): Json {
  return internalForm("PodSpec", spec, spec);
}

/** As above, of a pod template: the fields of its metadata that are there, then the spec. */
export function internalPodTemplate(template: Json): Json {
  const { metadata, spec } = template;
  return { ...metadataOf(metadata), Spec: internalPodSpec(isRecord(spec) ? spec : {}) };
}

/** As above, of what a container may do. */
export function internalSecurityContext(context: Json): Json {
  return internalForm("SecurityContext", context, {});
}

/** As above, of a claim of storage. */
export function internalClaimSpec(spec: Json): Json {
  return internalForm("PersistentVolumeClaimSpec", spec, {});
}

function internalForm(type: string, value: Json, spec: Json): Json {
  types ??= readTypes();
  const printed: Record<string, unknown> = {};
  for (const { name, jsonName, isOfSpec, form } of types.get(type) ?? []) {
    if (name === "~") Object.assign(printed, metadataOf(value["metadata"]));
    else printed[name] = internalValue(form, (isOfSpec ? spec : value)[jsonName], spec);
  }
  return printed;
}

function internalValue(form: string, value: unknown, spec: Json): unknown {
  switch (form) {
    case "":
      return value ?? null;
    case "s":
      return value ?? "";
    case "b":
      return value ?? false;
    case "i":
      return value ?? 0;
    case "q":
      return value ?? "0";
  }
  const type = form.replace(/^[[*]/, "");
  if (form.startsWith("[")) {
    return Array.isArray(value)
      ? value.map((one) => internalForm(type, isRecord(one) ? one : {}, spec))
      : null;
  }
  if (isRecord(value)) return internalForm(type, value, spec);
  return form.startsWith("*") ? null : internalForm(type, {}, spec);
}

/** Metadata has its JSON names in memory, too. */
function metadataOf(metadata: unknown): Json {
  if (!isRecord(metadata)) return {};
  const names = ["name", "namespace", "labels", "annotations", "ownerReferences", "finalizers"];
  return Object.fromEntries(
    names.flatMap((name) => (metadata[name] === undefined ? [] : [[name, metadata[name]]])),
  );
}

function readTypes(): ReadonlyMap<string, readonly InternalField[]> {
  const lines = internalFields.trim().split("\n");
  return new Map(
    lines.map((line) => {
      const [type = "", ...fields] = line.split(" ");
      return [type, fields.map(readField)];
    }),
  );
}

function readField(text: string): InternalField {
  const [names = "", form = ""] = text.split(":");
  const [name = "", written = `${name.charAt(0).toLowerCase()}${name.slice(1)}`] = names.split("=");
  const isOfSpec = written.startsWith("^");
  return { name, jsonName: isOfSpec ? written.slice(1) : written, isOfSpec, form };
}
