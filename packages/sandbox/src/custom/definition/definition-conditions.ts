import { type Definition, hasCondition } from "./definition.ts";

type Condition = NonNullable<NonNullable<Definition["status"]>["conditions"]>[number];

/** What a condition says, without when it began to. */
export type Verdict = Pick<Condition, "type" | "status"> & {
  readonly reason: string;
  readonly message: string;
};

export const established: Verdict = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted",
};

export function hasVerdict({ status }: Definition, verdict: Verdict): boolean {
  return (status?.conditions ?? []).some(
    (one) =>
      one.type === verdict.type &&
      one.status === verdict.status &&
      one.reason === verdict.reason &&
      one.message === verdict.message,
  );
}

/** Until it is established, a definition says how far it is. */
export function establishing(definition: Definition, isAccepted: boolean): readonly Verdict[] {
  if (hasCondition(definition, "Established")) return [];
  const reached = isAccepted
    ? { reason: "Installing", message: "the initial names have been accepted" }
    : { reason: "NotAccepted", message: "not all names are accepted" };
  return [{ type: "Established", status: "False", ...reached }];
}

export const inProgress: Verdict = {
  type: "Terminating",
  status: "True",
  reason: "InstanceDeletionInProgress",
  message: "CustomResource deletion is in progress",
};

export const completed: Verdict = {
  type: "Terminating",
  status: "False",
  reason: "InstanceDeletionCompleted",
  message: "removed all instances",
};

export const neverEstablished: Verdict = {
  type: "Terminating",
  status: "False",
  reason: "NeverEstablished",
  message: "resource was never established",
};

/** A condition keeps its time as long as its status does. */
export function withVerdict(
  conditions: readonly Condition[],
  verdict: Verdict,
  now: string,
): readonly Condition[] {
  const index = conditions.findIndex(({ type }) => type === verdict.type);
  const old = conditions[index];
  const isSame = old !== undefined && old.status === verdict.status;
  const changed: Condition = {
    ...verdict,
    lastTransitionTime: (isSame ? old.lastTransitionTime : undefined) ?? now,
  };
  return old === undefined ? [...conditions, changed] : conditions.with(index, changed);
}
