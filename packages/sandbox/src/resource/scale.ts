import { formatLabelSelector, type GenericObject, isRecord, type ObjectMeta } from "@keelson/core";
import { valueAt } from "./field-path.ts";
import { type GivenLabelSelector, usableSelector } from "./label-problems.ts";
import type { ScalePaths, ServedResource } from "./served-resource.ts";

/** An `autoscaling/v1` Scale: how many replicas an object has and should have. */
export interface Scale extends GenericObject {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly replicas?: number };
}

/** The paths of the fields that the scale of a kind reads and writes. */
export function scalePathsOf({ subresources }: Pick<ServedResource, "subresources">): ScalePaths {
  return (
    subresources.get("scale")?.scale ?? {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
    }
  );
}

/** The Scale of an object, read from the fields that its kind names. */
export function scaleOf(resource: ServedResource, object: GenericObject): Scale {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scalePathsOf(resource);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = numberAt(object, specReplicasPath);
  const selector =
    labelSelectorPath === undefined ? undefined : selectorText(resource, valueAt(object, labelSelectorPath));
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
    status: {
      replicas: numberAt(object, statusReplicasPath),
      ...(selector !== undefined && selector !== "" && { selector }),
    },
  };
}

function numberAt(object: GenericObject, path: string): number {
  const value = valueAt(object, path);
  return typeof value === "number" ? value : 0;
}

/** Built-in kinds have a LabelSelector or, ReplicationControllers, labels; custom kinds have a string. */
function selectorText(resource: ServedResource, value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!isRecord(value)) return undefined;
  const given: GivenLabelSelector =
    resource.kind === "ReplicationController" ? { matchLabels: textsOf(value) } : asSelector(value);
  const selector = usableSelector(given);
  return selector && formatLabelSelector(selector);
}

function textsOf(labels: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)]));
}

/** The schema of the kind has checked the selector before it was stored. */
function asSelector(selector: Readonly<Record<string, unknown>>): GivenLabelSelector {
  return selector as GivenLabelSelector;
}
