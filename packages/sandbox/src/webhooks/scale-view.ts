import { formatLabelSelector, type GenericObject, isRecord } from "@keelson/core";
import type { AdmissionRequest } from "../admission/admission.ts";
import type { MutableObject } from "../resource/mutable-object.ts";
import type { ScalePaths, ServedResource } from "../resource/served-resource.ts";

/** A write that a webhook could be asked about, and what the object looks like by now. */
export interface Candidate {
  readonly request: AdmissionRequest;
  readonly object: GenericObject | undefined;
}

/** Whether what is written is shown as a Scale, whatever has one. */
export function isScale({ subresource }: AdmissionRequest): boolean {
  return subresource === "scale";
}

/** A write as webhooks see it: of the scale of an object they see no more than that. */
export function shownWrite(request: AdmissionRequest, object: GenericObject | undefined): Candidate {
  if (!isScale(request)) return { request, object };
  const { resource, oldObject } = request;
  return {
    request: { ...request, oldObject: oldObject && scaleOf(resource, oldObject) },
    object: object && scaleOf(resource, object),
  };
}

/** Takes over what a webhook made of the scale of an object. */
export function setScale({ resource }: AdmissionRequest, object: MutableObject, scale: GenericObject): void {
  const replicas = isRecord(scale.spec) && typeof scale.spec.replicas === "number" ? scale.spec.replicas : 0;
  const names = namesOf(pathsOf(resource).specReplicasPath);
  const last = names.pop() ?? "";
  let parent: object = object;
  for (const name of names) {
    const child: unknown = Reflect.get(parent, name);
    const next = isRecord(child) ? child : {};
    Reflect.set(parent, name, next);
    parent = next;
  }
  Reflect.set(parent, last, replicas);
}

function scaleOf(resource: ServedResource, object: GenericObject): GenericObject {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = pathsOf(resource);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = countAt(object, specReplicasPath);
  const selector = selectorText(
    labelSelectorPath === undefined ? undefined : valueAt(object, labelSelectorPath),
  );
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: countAt(object, statusReplicasPath), ...(selector !== "" && { selector }) },
  };
}

const builtinPaths: ScalePaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};

function pathsOf({ subresources }: ServedResource): ScalePaths {
  return subresources.get("scale")?.scale ?? builtinPaths;
}

/** Built-in kinds have a LabelSelector or, ReplicationControllers, labels there; custom ones the text. */
function selectorText(selector: unknown): string {
  if (typeof selector === "string") return selector;
  if (!isRecord(selector)) return "";
  const isSelector = "matchLabels" in selector || "matchExpressions" in selector;
  return formatLabelSelector(isSelector ? selector : { matchLabels: textsOf(selector) });
}

function textsOf(labels: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)]));
}

function countAt(object: GenericObject, path: string): number {
  const value = valueAt(object, path);
  return typeof value === "number" ? value : 0;
}

function valueAt(object: GenericObject, path: string): unknown {
  let value: unknown = object;
  for (const name of namesOf(path)) value = isRecord(value) ? value[name] : undefined;
  return value;
}

function namesOf(path: string): string[] {
  return path.split(".").filter((name) => name !== "");
}
