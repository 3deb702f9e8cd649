import type { Pod, Taint, Toleration } from "@keelson/core/kinds/core/v1";

export function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint));
}

export function tolerates(
  { key = "", operator = "Equal", value = "", effect }: Toleration,
  taint: Taint,
): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return key !== "" && operator === "Equal" && value === (taint.value ?? "");
}

/** Whether the pod may not go to a node because of its taints. */
export function isRepelled({ spec }: Pod, taints: readonly Taint[]): boolean {
  return taints.some(
    (taint) => taint.effect !== "PreferNoSchedule" && !isTolerated(taint, spec?.tolerations ?? []),
  );
}
