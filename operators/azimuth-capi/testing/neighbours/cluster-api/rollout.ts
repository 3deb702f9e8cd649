/** A machine as a rollout sees it. */
export interface RolledMachine {
  readonly name: string;
  /** Whether it is made of the current spec. */
  readonly isCurrent: boolean;
  /** Whether it has become a node, healthy or not. */
  readonly isUp: boolean;
  readonly isReady: boolean;
  readonly isDeleting: boolean;
  readonly createdAt: string;
}

/** What to do next; nothing while it has to be waited for machines. */
export interface RolloutStep {
  readonly create: number;
  readonly delete: readonly string[];
}

const nothing: RolloutStep = { create: 0, delete: [] };

/**
 * The next step from the machines that exist to as many as are desired, all of them current: with one more than desired,
 * and never fewer. `isOneByOne`: as a control plane grows, where each machine joins the ones before.
 */
export function nextStep(
  machines: readonly RolledMachine[],
  desired: number,
  { isOneByOne }: { readonly isOneByOne: boolean },
): RolloutStep {
  const alive = machines.filter(({ isDeleting }) => !isDeleting);
  const oldestFirst = alive.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  const outdated = oldestFirst.filter(({ isCurrent }) => !isCurrent);
  if (alive.length < desired) {
    const missing = desired - alive.length;
    if (!isOneByOne) return { ...nothing, create: missing };
    return alive.every(({ isReady }) => isReady) ? { ...nothing, create: 1 } : nothing;
  }
  // One at a time goes, and the next one when it has gone.
  if (alive.length < machines.length) return nothing;
  if (alive.length > desired) {
    const [next = oldestFirst.at(-1)] = outdated;
    if (next === undefined) return nothing;
    const others = alive.filter(({ name, isReady }) => isReady && name !== next.name);
    const mayGo = outdated.length === 0 || !next.isReady || others.length >= desired;
    return mayGo ? { ...nothing, delete: [next.name] } : nothing;
  }
  if (outdated.length === 0) return nothing;
  return alive.every(({ isReady }) => isReady) ? { ...nothing, create: 1 } : nothing;
}
