import type { CapiCondition } from "./kinds.ts";

/** A condition without the time at which it came to be. */
export type CapiConditionState = Omit<CapiCondition, "lastTransitionTime">;

/** The conditions with the times of those that stay as they are. */
export function capiConditions(
  before: readonly CapiCondition[] | undefined,
  states: readonly CapiConditionState[],
  nowMs: number,
): readonly CapiCondition[] {
  return states.map((state) => {
    const last = before?.find(({ type }) => type === state.type);
    const lastTransitionTime =
      last !== undefined && last.status === state.status
        ? last.lastTransitionTime
        : new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z");
    return { ...state, lastTransitionTime };
  });
}

export function isTrue(conditions: readonly CapiCondition[] | undefined, type: string): boolean {
  return conditions?.some((each) => each.type === type && each.status === "True") === true;
}

/** True, or False with a reason. */
export function condition(type: string, problem: string | undefined): CapiConditionState {
  return problem === undefined ? { type, status: "True" } : { type, status: "False", reason: problem };
}
