import type { GenericObject, Scope } from "@keelson/core";
import type { FieldSchema } from "../schema/field-schema.ts";
import type { MutableObject } from "./mutable-object.ts";
import type { Strategy } from "./strategy.ts";

/** One version of a kind, as the server serves it; built-in or from a CustomResourceDefinition. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly scope: Scope;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** The verbs in discovery: create, delete, deletecollection, get, list, patch, update, watch. */
  readonly verbs: readonly string[];
  /** The collection of its objects in the store, shared by all versions: `deployments.apps`, `pods`. */
  readonly collection: string;
  /** The version in which objects are stored. */
  readonly storageVersion: string;
  readonly schema: FieldSchema;
  /** Of custom kinds: the schemas of all versions, also of those that are not served, by apiVersion. */
  readonly schemas?: ReadonlyMap<string, FieldSchema>;
  /** Fields that only other subresources write: `status` of most kinds. */
  readonly subresources: ReadonlyMap<string, Subresource>;
  readonly strategy: Strategy;
  readonly columns: readonly TableColumn[];
  /** Paths that field selectors may name beside `metadata.name` and `metadata.namespace`. */
  readonly selectableFields: readonly string[];
  /** The value of a selectable field; for custom resources from their JSON paths. */
  readonly selectField?: (object: GenericObject, path: string) => string;
  readonly isCustom: boolean;
  /** Whether fields that the schema does not declare are pruned. */
  readonly prunesUnknownFields: boolean;
  /** Converts objects to this version, or from it to the storage version. Undefined: all versions have the same schema. */
  readonly convert?: (
    objects: readonly GenericObject[],
    toVersion: string,
  ) => Promise<readonly MutableObject[]>;
  readonly deprecationWarning?: string;
  /** Of custom kinds: the state of the definition. Watches end when it changes. */
  readonly definedBy?: string;
  /** The hash in discovery. Default: computed from the storage version for custom resources, none for built-in ones. */
  readonly storageVersionHash?: string;
}

export interface Subresource {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly kind: string;
  /** If it differs from that of the resource, such as `autoscaling/v1` Scale. */
  readonly group?: string;
  readonly version?: string;
  /** The paths of a scale subresource; built-in kinds: `.spec.replicas`, `.status.replicas`, `.spec.selector`. */
  readonly scale?: ScalePaths;
}

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** Undefined: the scale has no selector. For built-in kinds it is a LabelSelector, for custom ones a string. */
  readonly labelSelectorPath?: string;
}

/** A column of a Table, which `kubectl get` prints. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0: always shown; above: only with `-o wide`. */
  readonly priority: number;
  /** The value of the cell; `now` in milliseconds, for ages. */
  cell(object: GenericObject, now: number): string | number | bigint | boolean | null;
}

/** Stable before beta before alpha, newer before older, and names that are not versions last, by name. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [rankOf(a), rankOf(b)];
  if (first === undefined || second === undefined) {
    if (first !== undefined) return -1;
    if (second !== undefined) return 1;
    return a < b ? -1 : Number(a > b);
  }
  for (const [index, rank] of first.entries()) {
    const difference = (second[index] ?? 0) - rank;
    if (difference !== 0) return difference;
  }
  return 0;
}

const stages: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };

function rankOf(version: string): readonly number[] | undefined {
  const [, major, stage, minor] = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version) ?? [];
  if (major === undefined) return undefined;
  return [stage === undefined ? 2 : (stages[stage] ?? 0), Number(major), Number(minor ?? 0)];
}
