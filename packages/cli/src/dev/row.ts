import type { GenericObject, SampleProgress } from "keelson";
import { isRecord, toError } from "keelson/low-level";

/** The last Event about an object. */
export interface LastEvent {
  readonly atMs: number;
  readonly reason: string;
  readonly message: string;
  readonly isWarning: boolean;
}

/** An object as people are shown it. */
export interface Row {
  /** The same as long as it is the same object, such as `webapps.example.com shop/web`. */
  readonly id: string;
  /** Such as `webapp/nginx-app`. */
  readonly title: string;
  /** Undefined for objects that are in none. */
  readonly namespace: string | undefined;
  readonly phase: string;
  readonly ready: string | undefined;
  readonly isSettled: boolean;
  readonly problem: string | undefined;
  /** Undefined as long as it is not there. */
  readonly createdMs: number | undefined;
  readonly event: LastEvent | undefined;
}

/** The identity of an object, whether it exists yet or not. */
export type RowIdentity = Pick<Row, "id" | "title" | "namespace">;

/** The row of an object that exists. An error of its operator counts as a problem of the object. */
export function rowOf(
  identity: RowIdentity,
  object: GenericObject,
  progressOf: (object: GenericObject) => SampleProgress,
  event: LastEvent | undefined,
): Row {
  const { id, title, namespace } = identity;
  const { creationTimestamp } = object.metadata;
  const { phase, ready, isSettled, problem } = progressIn(object, progressOf);
  return {
    ...{ id, title, namespace, phase, ready, isSettled, problem, event },
    createdMs: creationTimestamp === undefined ? undefined : Date.parse(creationTimestamp),
  };
}

/** An object that is to come. */
export function awaitedRow({ id, title, namespace }: RowIdentity): Row {
  return {
    ...{ id, title, namespace, phase: "Awaited", isSettled: false },
    ...{ ready: undefined, problem: undefined, createdMs: undefined, event: undefined },
  };
}

function progressIn(
  object: GenericObject,
  progressOf: (object: GenericObject) => SampleProgress,
): SampleProgress {
  try {
    return progressOf(object);
  } catch (error) {
    const problem = `its operator cannot report its progress: ${toError(error).message}`;
    return { phase: "Unknown", isSettled: false, problem };
  }
}

/** Conditions that describe an object as a whole; the first one that it has counts. */
const telling = ["Ready", "Available", "Succeeded", "Complete"];

/** The progress of an object by what most kinds have in their status; for operators that do not report it. */
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
