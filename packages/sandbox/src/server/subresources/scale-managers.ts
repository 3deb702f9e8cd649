import {
  apiVersionOf,
  deepEqual,
  formatTime,
  type GenericObject,
  type ManagedFieldsEntry,
} from "@keelson/core";
import { applyConfiguration } from "../../apply/apply-configuration.ts";
import { storedEntries } from "../../apply/object-fields.ts";
import {
  managedFieldsAfterScale,
  managedFieldsOfScale,
  type ReplicasPaths,
} from "../../apply/scale-managed-fields.ts";
import { type TrackedUpdate, trackUpdate } from "../../apply/track-update.ts";
import { builtinSchema } from "../../builtin/builtin-schemas.ts";
import type { ResourceRegistry } from "../../resource/resource-registry.ts";
import { type Scale, scaleOf, scalePathsOf } from "../../resource/scale.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import { plainError } from "../../status/api-error.ts";
import type { Patch } from "../body/patch-body.ts";

/** A write of the Scale of an object. */
export interface ScaleWrite {
  readonly registry: ResourceRegistry;
  readonly resource: ServedResource;
  /** As it is stored, in the version of the resource. */
  readonly object: GenericObject;
  readonly manager: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The desired Scale, and the managed fields of the scaled object after the write. */
export interface ScaledState {
  readonly scale: Readonly<Record<string, unknown>>;
  readonly managedFields: readonly ManagedFieldsEntry[];
}

/** The Scale with its managed fields, which only writes need. */
export function managedScaleOf(write: ScaleWrite): Scale {
  const { resource, object } = write;
  const scale = scaleOf(resource, object);
  const managedFields = managedFieldsOfScale(storedEntries(object), replicasPaths(write));
  return managedFields.length === 0 ? scale : { ...scale, metadata: { ...scale.metadata, managedFields } };
}

/** After an update or a patch, which gave `scale`. */
export function updatedScale(write: ScaleWrite, scale: Readonly<Record<string, unknown>>): ScaledState {
  const entries = trackUpdate({ ...trackedBy(write), updated: scale });
  return { scale, managedFields: afterScale(write, entries) };
}

type Apply = Extract<Patch, { readonly type: "apply" }>;

/** After a server-side apply. Throws ApiError. */
export function appliedScale(write: ScaleWrite, { configuration, force }: Apply): ScaledState {
  const tracked = trackedBy(write);
  const { isCustom } = write.resource;
  if (isCustom && storedEntries(tracked.live).length === 0) {
    throw plainError(`failed to create manager for existing fields: ${unconverted("live object", "/")}`);
  }
  const applied = applyConfiguration({ ...tracked, configuration, force });
  // Like the real server, which treats the Scale of a custom object as one of its versions.
  if (isCustom && !deepEqual(Object(applied.spec), Object(tracked.live?.spec))) {
    const { namespace, name } = configuration.metadata;
    throw plainError(unconverted("new object", `${namespace ?? ""}/${name ?? ""}`));
  }
  return { scale: applied, managedFields: afterScale(write, storedEntries(applied)) };
}

function unconverted(what: string, name: string): string {
  const why = "request to convert CR to an invalid group/version: autoscaling/v1";
  return `failed to convert ${what} (${name}; autoscaling/v1, Kind=Scale) to proper version: ${why}`;
}

function trackedBy(write: ScaleWrite): Omit<TrackedUpdate, "updated"> {
  return {
    live: { ...managedScaleOf(write) },
    schema: builtinSchema("autoscaling", "v1", "Scale") ?? {},
    isCustom: false,
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    manager: write.manager,
    subresource: "scale",
    resetFields: resetOfScale,
    time: formatTime(write.now),
  };
}

const resetOfScale = [["status"]];

function afterScale(
  write: ScaleWrite,
  scaleEntries: readonly ManagedFieldsEntry[],
): readonly ManagedFieldsEntry[] {
  const { resource, object } = write;
  return managedFieldsAfterScale(
    storedEntries(object),
    scaleEntries,
    replicasPaths(write),
    apiVersionOf(resource),
  );
}

/** The path of the replicas by version; versions of a custom kind may have different ones. */
function replicasPaths({ registry, resource }: ScaleWrite): ReplicasPaths {
  const versions = resource.isCustom
    ? registry.all().filter(({ collection }) => collection === resource.collection)
    : [resource];
  return new Map(
    versions.map((version) => {
      const { specReplicasPath } = scalePathsOf(version);
      return [apiVersionOf(version), specReplicasPath.split(".").filter((name) => name !== "")] as const;
    }),
  );
}
