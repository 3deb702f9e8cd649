import { deepEqual, draft } from "@keelson/core";
import { fieldOf, isJsonObject, type JsonObject } from "../schema/json-document.ts";
import { badRequest, plainError } from "../status/api-error.ts";
import { applyConflict, type Conflict } from "./apply-conflict.ts";
import { configurationProblems } from "./configuration-problems.ts";
import { emptyObject } from "./empty-object.ts";
import { difference, type FieldSet, intersection, isEmpty } from "./field-set.ts";
import { type FieldType, typeOfObject } from "./field-type.ts";
import { fieldsOfConfiguration } from "./fields-of-configuration.ts";
import { fieldsAppliedByClient, kubectlManager, updateLastApplied } from "./last-applied.ts";
import {
  compareTexts,
  entriesOf,
  narrowOwners,
  type Owner,
  type Owners,
  ownerKey,
  ownersOf,
} from "./managers.ts";

import { mergeConfiguration } from "./merge.ts";
import { metadataOf, ownable, setManagedFields, storedEntries, withoutReset } from "./object-fields.ts";
import { prune } from "./prune.ts";
import { reconcileOwners } from "./reconcile-owners.ts";
import { compareWrite, ownersAfterUpdate, type TrackedUpdate } from "./track-update.ts";

/** A server-side apply. */
export interface Application extends Omit<TrackedUpdate, "updated"> {
  /** As it was sent, without defaults. */
  readonly configuration: Readonly<JsonObject>;
  readonly force: boolean;
}

/** An object with metadata; its other fields are unknown. */
export interface AppliedObject extends JsonObject {
  apiVersion: string;
  kind: string;
  metadata: JsonObject;
}

/**
 * Merges the configuration into the live object and returns a private copy of the result, with its managed fields, before
 * defaults. Fields that the applier no longer applies and that have no other owner are removed. If nothing changes, the
 * copy equals the live object, including times. Throws ApiError for conflicts unless forced, and for invalid configurations.
 */
export function applyConfiguration(application: Application): AppliedObject {
  checkConfiguration(application);
  const type = typeOfObject(application.schema);
  const owners = ownersBefore(application);
  const result = merge(application, owners, type);
  const isOverridable = application.manager === kubectlManager && result.conflicts.length > 0;
  const conflicts = isOverridable ? foreignConflicts(application, result.conflicts, type) : result.conflicts;
  if (conflicts.length > 0 && !application.force) throw applyConflict(conflicts);
  const object = asObject(draft(result.isUnchanged ? application.live : result.object), application);
  if (application.manager === kubectlManager) updateLastApplied(object, application.configuration);
  setManagedFields(object, entriesOf(ownersAfter(application, owners, result)));
  return object;
}

function checkConfiguration({ configuration, apiVersion, kind, schema }: Application): void {
  const metadata = metadataOf(configuration);
  if ((fieldOf(metadata, "managedFields") ?? null) !== null)
    throw badRequest("metadata.managedFields must be nil");
  const problems = configurationProblems(configuration, typeOfObject(schema));
  if (problems.length === 0) return;
  const what = `${text(metadata.namespace)}/${text(metadata.name)}; ${versionKind(apiVersion, kind)}`;
  const list =
    problems.length === 1 ? problems[0] : ["errors:", ...problems.map((one) => `  ${one}`)].join("\n");
  throw plainError(`failed to create typed patch object (${what}): ${list}`);
}

function versionKind(apiVersion: string, kind: string): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** All fields of an object without managed fields belong to the owner `before-first-apply`. */
function ownersBefore(application: Application): Owners {
  const owners = ownersOf(storedEntries(application.live));
  if (owners.size > 0 || application.live === undefined) return owners;
  const { configuration: _configuration, force: _force, ...write } = application;
  const past: TrackedUpdate = {
    ...write,
    live: undefined,
    updated: application.live,
    manager: "before-first-apply",
  };
  return ownersAfterUpdate(owners, compareWrite(past), past);
}

interface Merged {
  readonly object: unknown;
  readonly isUnchanged: boolean;
  /** The fields of the configuration. */
  readonly fields: FieldSet;
  readonly conflicts: readonly Conflict[];
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** Changes `owners`: the applier then owns what it applies. */
function merge(application: Application, owners: Owners, type: FieldType): Merged {
  const { configuration, resetFields } = application;
  reconcileOwners(owners, type);
  const live = application.live ?? emptyObject(application);
  const fields = withoutReset(fieldsOfConfiguration(configuration, type), resetFields);
  const applier = applierOf(application, fields);
  const key = ownerKey(applier);
  const previous = owners.get(key);
  owners.set(key, { ...applier, time: previous?.time });
  const merged = mergeConfiguration(live, configuration, type);
  const object = prune(merged, owners, previous?.set, type);
  const updated = isJsonObject(object) ? object : {};
  const comparison = compareWrite({ ...application, live, updated });
  const conflicts = [...owners]
    .filter(([other]) => other !== key)
    .sort(([a], [b]) => compareTexts(a, b))
    .map(([, owner]) => ({ owner, fields: intersection(owner.set, comparison.changed) }))
    .filter((conflict) => !isEmpty(conflict.fields));
  const isUnchanged = application.live !== undefined && deepEqual(live, object);
  return { object, isUnchanged, fields, conflicts, ...comparison };
}

function applierOf({ manager, apiVersion, subresource }: Application, set: FieldSet): Owner {
  return {
    manager: manager === "" ? "unknown" : manager,
    operation: "Apply",
    apiVersion,
    subresource: subresource ?? "",
    time: undefined,
    set,
  };
}

/** The conflicts without the fields of an earlier client-side apply by kubectl. */
function foreignConflicts(
  { live, apiVersion }: Application,
  conflicts: readonly Conflict[],
  type: FieldType,
): readonly Conflict[] {
  const own = live === undefined ? undefined : fieldsAppliedByClient(live, apiVersion, type);
  if (own === undefined) return conflicts;
  return conflicts
    .map(({ owner, fields }) => ({ owner, fields: difference(fields, own) }))
    .filter(({ fields }) => !isEmpty(fields));
}

function ownersAfter(application: Application, owners: Owners, result: Merged): Owners {
  const key = ownerKey(applierOf(application, result.fields));
  narrowOwners(owners, (owner, other) => {
    if (other === key) return ownable(owner.set);
    return difference(difference(owner.set, result.changed), result.removed);
  });
  const applier = owners.get(key);
  if (applier !== undefined && !result.isUnchanged) owners.set(key, { ...applier, time: application.time });
  return owners;
}

function asObject(object: unknown, { apiVersion, kind }: Application): AppliedObject {
  const fields = isJsonObject(object) ? object : {};
  const metadata = fieldOf(fields, "metadata");
  return Object.assign(fields, { apiVersion, kind, metadata: isJsonObject(metadata) ? metadata : {} });
}
