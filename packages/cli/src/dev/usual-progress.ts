import { type GenericObject, isRecord, type SampleProgress } from "keelson";

/** Conditions that say of an object as a whole how it is, the first of them that it has. */
const telling = ["Ready", "Available", "Succeeded", "Complete"];

/** How far an object is by what most kinds have in their status; for operators that do not tell it. */
export function usualProgress({ status }: GenericObject): SampleProgress {
  if (!isRecord(status)) return { phase: "Created", isSettled: false };
  const conditions: readonly unknown[] = Array.isArray(status.conditions) ? status.conditions : [];
  const known = conditions.flatMap((condition) => (isRecord(condition) ? [condition] : []));
  const summary = telling
    .map((type) => known.find((condition) => condition.type === type))
    .find((condition) => condition !== undefined);
  const isSettled = summary === undefined || summary.status === "True";
  const named = [status.phase, isSettled ? summary?.type : summary?.reason];
  const phase = named.find((each) => typeof each === "string" && each !== "");
  return { phase: typeof phase === "string" ? phase : isSettled ? "Known" : "NotReady", isSettled };
}
