import { KeelsonError } from "./error.ts";
import { type JsonPatchOperation, pointer } from "./json.ts";
import type { KubeObject } from "./meta.ts";
import { qualifiedNameProblem } from "./name.ts";
import { describeObject, storedField } from "./stored-object.ts";

/** A finalizer was to be added to an object that is being deleted. The API server refuses that, too. */
export class BeingDeletedError extends KeelsonError {
  static override readonly brand: string = "@keelson/core.BeingDeletedError";
  readonly code = "BEING_DELETED";
  readonly finalizer: string;
  readonly deletionTimestamp: string;

  constructor(object: KubeObject, finalizer: string, deletionTimestamp: string) {
    super(
      `add finalizer ${finalizer} to ${describeObject(object)}: it is being deleted since ${deletionTimestamp}; ` +
        `check metadata.deletionTimestamp first, and only clean up`,
    );
    this.finalizer = finalizer;
    this.deletionTimestamp = deletionTimestamp;
  }
}

/** A name that the API server does not take for a finalizer. */
export class InvalidFinalizerError extends KeelsonError {
  static override readonly brand: string = "@keelson/core.InvalidFinalizerError";
  readonly code = "INVALID_FINALIZER";
  readonly finalizer: string;

  constructor(finalizer: string, problem: string) {
    super(
      `use finalizer ${JSON.stringify(finalizer)}: its name ${problem}; write it like example.com/cleanup`,
    );
    this.finalizer = finalizer;
  }
}

export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return finalizersOf(object).includes(finalizer);
}

/**
 * The object with the finalizer, last; the same object if it has it already. Throws BeingDeletedError if its deletion
 * has begun, and InvalidFinalizerError.
 */
export function withFinalizer<T extends KubeObject>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object;
  refuseToAdd(object, finalizer);
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizersOf(object), finalizer] } };
}

/** The object without the finalizer, and with all other finalizers; the same object if it does not have it. */
export function withoutFinalizer<T extends KubeObject>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object;
  const finalizers = finalizersOf(object).filter((name) => name !== finalizer);
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/**
 * The JSON patch that adds the finalizer to the object exactly as it was read; undefined if it has it already. If
 * anything has changed since, in particular if its deletion has begun, the API server refuses the patch as invalid
 * (422): read the object again and decide anew. Throws BeingDeletedError, InvalidFinalizerError or NotStoredError.
 */
export function addFinalizerPatch(
  object: KubeObject,
  finalizer: string,
): readonly JsonPatchOperation[] | undefined {
  if (hasFinalizer(object, finalizer)) return undefined;
  refuseToAdd(object, finalizer);
  const resourceVersion = storedField(`add finalizer ${finalizer}`, object, "resourceVersion");
  // The server omits an empty list, so there is none to append to.
  const addition: JsonPatchOperation =
    finalizersOf(object).length === 0
      ? { op: "add", path: pointer("metadata", "finalizers"), value: [finalizer] }
      : { op: "add", path: pointer("metadata", "finalizers", "-"), value: finalizer };
  return [{ op: "test", path: pointer("metadata", "resourceVersion"), value: resourceVersion }, addition];
}

/**
 * The JSON patch that removes the finalizer and no other; undefined if the object does not have it. If another finalizer was
 * removed meanwhile, so that positions have moved, or if the object was deleted and created again, the API server refuses
 * the patch as invalid (422): read the object again. Other changes do not matter. Throws NotStoredError.
 */
export function removeFinalizerPatch(
  object: KubeObject,
  finalizer: string,
): readonly JsonPatchOperation[] | undefined {
  const positions = finalizersOf(object).flatMap((name, index) => (name === finalizer ? [index] : []));
  if (positions.length === 0) return undefined;
  const uid = storedField(`remove finalizer ${finalizer}`, object, "uid");
  const paths = positions.map((index) => pointer("metadata", "finalizers", index));
  return [
    { op: "test", path: pointer("metadata", "uid"), value: uid },
    ...paths.map((path): JsonPatchOperation => ({ op: "test", path, value: finalizer })),
    // From the end, so that no removal moves what is still to be removed.
    ...paths.map((path): JsonPatchOperation => ({ op: "remove", path })).reverse(),
  ];
}

function finalizersOf(object: KubeObject): readonly string[] {
  return object.metadata.finalizers ?? [];
}

function refuseToAdd(object: KubeObject, finalizer: string): void {
  const problem = qualifiedNameProblem(finalizer);
  if (problem !== undefined) throw new InvalidFinalizerError(finalizer, problem);
  const { deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined) throw new BeingDeletedError(object, finalizer, deletionTimestamp);
}
