import { compareText, deepEqual } from "@keelson/core";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from "@keelson/core/kinds/apiextensions/v1";
import { compareSchemas } from "./compare-schemas.ts";

/**
 * Whether a stored object or a client could break when the last CustomResourceDefinition is replaced by the next one.
 * Changes that only allow more are not reported. If `last` is read from a server, the versions that objects are stored in
 * are known; otherwise they are taken to be in its storage version.
 */
export function compareCrds(
  last: CustomResourceDefinition,
  next: CustomResourceDefinition,
): readonly Incompatibility[] {
  const found: Incompatibility[] = [];
  compareNames(last.spec, next.spec, noteInto(found));
  for (const version of last.spec.versions) {
    const successor = next.spec.versions.find(({ name }) => name === version.name);
    const note = noteInto(found, version.name);
    if (successor === undefined) noteDropped(version, storedVersions(last), note);
    else compareVersions(version, successor, note);
  }
  if (strategyOf(next.spec) === "None") compareNewVersions(last.spec, next.spec, found);
  if (strategyOf(last.spec) === "Webhook" && strategyOf(next.spec) === "None") {
    noteInto(found)(
      "risky",
      "conversion",
      "No webhook converts between versions any more; only the apiVersion is changed.",
    );
  }
  return found;
}

function noteInto(found: Incompatibility[], version?: string): Note {
  return (severity, path, message) => {
    found.push({ severity, ...(version !== undefined && { version }), path, message });
  };
}

function compareNames(
  last: CustomResourceDefinitionSpec,
  next: CustomResourceDefinitionSpec,
  note: Note,
): void {
  const identity: readonly (readonly [path: string, was: string, is: string])[] = [
    ["group", last.group, next.group],
    ["scope", last.scope, next.scope],
    ["names.kind", last.names.kind, next.names.kind],
    ["names.plural", last.names.plural, next.names.plural],
  ];
  for (const [path, was, is] of identity) {
    if (was !== is) {
      note(
        "breaking",
        path,
        `It changed from ${was} to ${is}: to the server that is another kind of object.`,
      );
    }
  }
  const singular = ({ names }: CustomResourceDefinitionSpec): readonly string[] => [
    names.singular ?? names.kind.toLowerCase(),
  ];
  const spoken: readonly (readonly [path: string, was: readonly string[], is: readonly string[]])[] = [
    // Of a kind that is another one now, this would be reported twice.
    ...(last.names.kind === next.names.kind ? [["singular", singular(last), singular(next)] as const] : []),
    ["shortNames", last.names.shortNames ?? [], next.names.shortNames ?? []],
    ["categories", last.names.categories ?? [], next.names.categories ?? []],
  ];
  for (const [path, was, is] of spoken) {
    const removed = was.filter((name) => !is.includes(name));
    if (removed.length > 0)
      note("risky", `names.${path}`, `kubectl does not know ${removed.join(", ")} any more.`);
  }
}

function storedVersions({ status, spec }: CustomResourceDefinition): readonly string[] {
  return status?.storedVersions ?? spec.versions.filter(({ storage }) => storage).map(({ name }) => name);
}

function noteDropped(version: CustomResourceDefinitionVersion, stored: readonly string[], note: Note): void {
  if (stored.includes(version.name)) {
    note("breaking", "versions", "The version is gone, and objects may be stored in it: migrate them first.");
  }
  if (version.served) note("breaking", "versions", "The version is gone, and clients may use it.");
}

function compareVersions(
  last: CustomResourceDefinitionVersion,
  next: CustomResourceDefinitionVersion,
  note: Note,
): void {
  if (last.served && !next.served) note("breaking", "served", "The version is not served any more.");
  compareSubresources(last.subresources ?? {}, next.subresources ?? {}, note);
  const selectable = new Set(next.selectableFields?.map(({ jsonPath }) => jsonPath));
  for (const { jsonPath } of last.selectableFields ?? []) {
    if (!selectable.has(jsonPath))
      note("breaking", "selectableFields", `Clients can no longer select by ${jsonPath}.`);
  }
  compareSchemas(last.schema?.openAPIV3Schema ?? {}, next.schema?.openAPIV3Schema ?? {}, "", note);
}

type Subresources = NonNullable<CustomResourceDefinitionVersion["subresources"]>;

function compareSubresources(last: Subresources, next: Subresources, note: Note): void {
  for (const name of ["status", "scale"] as const) {
    if (last[name] !== undefined && next[name] === undefined) {
      note("breaking", `subresources.${name}`, `The ${name} subresource is gone.`);
    }
  }
  if (last.status === undefined && next.status !== undefined) {
    note("risky", "subresources.status", "Writes of the whole object do not change the status any more.");
  }
  if (last.scale !== undefined && next.scale !== undefined && !deepEqual(last.scale, next.scale)) {
    note("risky", "subresources.scale", "The scale subresource reads or writes other fields.");
  }
}

/** Without conversion, a stored object is read through the schema of whatever version a client requests. */
function compareNewVersions(
  last: CustomResourceDefinitionSpec,
  next: CustomResourceDefinitionSpec,
  found: Incompatibility[],
): void {
  const stored = last.versions.find(({ storage }) => storage);
  const known = new Set(last.versions.filter(isInUse).map(({ name }) => name));
  const added = next.versions.filter((version) => isInUse(version) && !known.has(version.name));
  for (const version of added.toSorted((a, b) => compareText(a.name, b.name))) {
    const note = noteInto(found, version.name);
    compareSchemas(
      stored?.schema?.openAPIV3Schema ?? {},
      version.schema?.openAPIV3Schema ?? {},
      "",
      (_, path, message) =>
        note("risky", path, `${message} Objects stored as ${stored?.name} are read so without conversion.`),
    );
  }
}

/** Whether objects are read or written through its schema. */
function isInUse({ served, storage }: CustomResourceDefinitionVersion): boolean {
  return served || storage;
}

function strategyOf({ conversion }: CustomResourceDefinitionSpec): string {
  return conversion?.strategy ?? "None";
}

/** Something that an upgrade from one CustomResourceDefinition to another may break. */
export interface Incompatibility {
  /**
   * `breaking`: some stored object or some request that was good is not any more, or loses data.
   * `risky`: that depends on the objects, or something behaves differently for them.
   */
  readonly severity: "breaking" | "risky";
  /** The version whose objects are meant; absent for what concerns the definition as a whole. */
  readonly version?: string;
  /** A field of the object (`.spec.ports[].name`), or of the definition (`names.plural`, `subresources.scale`). */
  readonly path: string;
  /** A sentence for people. */
  readonly message: string;
}

/** Takes note of an incompatibility at a path. */
export type Note = (severity: Incompatibility["severity"], path: string, message: string) => void;
