import { parseJson, sortFields } from "@keelson/core";
import { fieldOf, isJsonObject, type JsonObject } from "../schema/json-document.ts";
import { compareObjects } from "./compare.ts";
import { configurationProblems } from "./configuration-problems.ts";
import { difference, type FieldSet } from "./field-set.ts";
import type { FieldType } from "./field-type.ts";
import { fieldsOfConfiguration } from "./fields-of-configuration.ts";
import { metadataOf } from "./object-fields.ts";
import { goJson } from "./path-element.ts";

/*
 * Client-side apply stores the configuration in an annotation. When kubectl changes to server-side apply under its own
 * name, the fields of that configuration are not conflicts, and the annotation is updated so that kubectl can change back.
 */

const annotation = "kubectl.kubernetes.io/last-applied-configuration";
const maxAnnotationsBytes = 256 * 1024;

/** The field manager of kubectl. */
export const kubectlManager = "kubectl";

/** The fields that client-side apply set and that still have those values; undefined without client-side apply. */
export function fieldsAppliedByClient(
  live: Readonly<JsonObject>,
  apiVersion: string,
  type: FieldType,
): FieldSet | undefined {
  const text = lastApplied(live);
  if (text === undefined) return undefined;
  const configuration = parsed(text);
  if (!isJsonObject(configuration) || configuration.apiVersion !== apiVersion) return undefined;
  if (configurationProblems(configuration, type).length > 0) return undefined;
  const { changed, removed } = compareObjects(configuration, live, type);
  return difference(difference(fieldsOfConfiguration(configuration, type), changed), removed);
}

function lastApplied(object: Readonly<JsonObject>): string | undefined {
  const annotations = fieldOf(metadataOf(object), "annotations");
  const text = isJsonObject(annotations) ? fieldOf(annotations, annotation) : undefined;
  return typeof text === "string" && text !== "" ? text : undefined;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // Not a configuration, so there was no client-side apply.
    return undefined;
  }
}

/** Updates the annotation of the object, a private copy, if it has one. */
export function updateLastApplied(object: JsonObject, configuration: Readonly<JsonObject>): void {
  if (lastApplied(object) === undefined) return;
  const annotations = fieldOf(metadataOf(object), "annotations");
  if (!isJsonObject(annotations)) return;
  annotations[annotation] = `${goJson(sortedForAnnotation(configuration))}\n`;
  if (annotationsBytes(annotations) > maxAnnotationsBytes) delete annotations[annotation];
}

function annotationsBytes(annotations: JsonObject): number {
  return Object.entries(annotations).reduce((sum, [key, value]) => {
    return sum + Buffer.byteLength(key) + Buffer.byteLength(String(value));
  }, 0);
}

function sortedForAnnotation(configuration: Readonly<JsonObject>): unknown {
  const copy: JsonObject = { ...configuration };
  const metadata = fieldOf(copy, "metadata");
  if (isJsonObject(metadata) && isJsonObject(metadata.annotations)) {
    const { [annotation]: _own, ...annotations } = metadata.annotations;
    copy.metadata = { ...metadata, annotations };
  }
  // Go writes maps in the order of their keys.
  return sortFields(copy);
}
