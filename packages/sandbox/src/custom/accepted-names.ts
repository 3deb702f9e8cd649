import { deepEqual } from "@keelson/core";
import type { CustomResourceDefinitionNames } from "@keelson/core/kinds/apiextensions/v1";
import type { Definition } from "./definition/definition.ts";

export interface NamesDecision {
  readonly names: CustomResourceDefinitionNames;
  readonly isAccepted: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The requested names of a definition that are accepted: those that no other definition of its group has. */
export function decideNames(definition: Definition, otherDefinitions: readonly Definition[]): NamesDecision {
  const { spec, status } = definition;
  const accepted: Partial<CustomResourceDefinitionNames> = status?.acceptedNames ?? {};
  const taken = takenNames([...otherDefinitions, definition].filter((one) => one.spec.group === spec.group));
  const names: Record<string, unknown> = { ...accepted };
  let conflict: Pick<NamesDecision, "reason" | "message"> | undefined;
  const decide = (
    name: keyof CustomResourceDefinitionNames,
    reason: string,
    used: ReadonlySet<string>,
  ): void => {
    const wanted = spec.names[name];
    if (typeof wanted !== "string") return;
    if (wanted !== accepted[name] && used.has(wanted)) conflict = { reason, message: inUse(wanted) };
    else names[name] = wanted;
  };
  decide("plural", "PluralConflict", taken.resources);
  decide("singular", "SingularConflict", taken.resources);
  const { shortNames } = spec.names;
  if (!deepEqual(shortNames, accepted.shortNames)) {
    const known = accepted.shortNames ?? [];
    const clashes = (shortNames ?? []).filter((name) => !known.includes(name) && taken.resources.has(name));
    const message = clashes.map(inUse).join(", ");
    if (clashes.length > 0) {
      conflict = { reason: "ShortNamesConflict", message: clashes.length === 1 ? message : `[${message}]` };
    } else if (shortNames === undefined) delete names.shortNames;
    else names.shortNames = shortNames;
  }
  decide("kind", "KindConflict", taken.kinds);
  decide("listKind", "ListKindConflict", taken.kinds);
  if (spec.names.categories === undefined) delete names.categories;
  else names.categories = spec.names.categories;
  // What is not decided yet is empty, as in the real server.
  const decided: CustomResourceDefinitionNames = { plural: "", kind: "", ...names };
  const verdict = conflict ?? { reason: "NoConflicts", message: "no conflicts found" };
  return { names: decided, isAccepted: conflict === undefined, ...verdict };
}

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`;
}

function takenNames(definitions: readonly Definition[]): {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
} {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { status } of definitions) {
    const { plural, singular = "", shortNames = [], kind, listKind = "" } = status?.acceptedNames ?? noNames;
    for (const name of [plural, singular, ...shortNames]) resources.add(name);
    for (const name of [kind, listKind]) kinds.add(name);
  }
  return { resources, kinds };
}

const noNames: CustomResourceDefinitionNames = { plural: "", kind: "" };
