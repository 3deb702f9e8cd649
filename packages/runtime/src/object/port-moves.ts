import { isRecord, type JsonPatchOperation, pointer } from "@keelson/core";

/**
 * The steps that give the ports of a list, found at `path`, the numbers that are wanted, by their names; the rest of
 * them stays. A list of ports has their numbers as keys. One whose number somebody has changed is theirs: an apply puts
 * ours beside it, and both have one name. One of ours in which they have a say stays beside the new one when its number
 * is to change, and has no name any more.
 *
 * One whose place is taken by yet another goes, since that one is the wanted one from now on.
 */
export function portMoves(
  path: readonly (string | number)[],
  existing: readonly unknown[],
  wanted: readonly unknown[],
): readonly JsonPatchOperation[] {
  const steps = existing.map((port, index): readonly JsonPatchOperation[] => {
    if (!isRecord(port) || port.name === undefined) return [];
    const namesake = wanted.find((other) => isRecord(other) && other.name === port.name);
    if (!isRecord(namesake) || hasSameNumber(port, namesake)) return [];
    const at = pointer(...path, index);
    const isStillThere = { op: "test" as const, path: at, value: port };
    return existing.some((other) => hasSameNumber(other, namesake))
      ? [isStillThere, { op: "remove", path: at }]
      : [isStillThere, { op: "replace", path: at, value: { ...port, ...namesake } }];
  });
  // From the end, so that no step moves what a later one is about.
  return steps.reverse().flat();
}

function hasSameNumber(a: unknown, b: unknown): boolean {
  return isRecord(a) && isRecord(b) && numberOf(a) === numberOf(b);
}

function numberOf({ port, containerPort, protocol = "TCP" }: Readonly<Record<string, unknown>>): string {
  return `${port ?? containerPort}/${protocol}`;
}
