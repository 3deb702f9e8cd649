import {
  apiVersionOf,
  isRecord,
  isStatus,
  type Kind,
  type KubeList,
  type KubeObject,
  type ListMeta,
  type Status,
  type Stored,
} from "@keelson/core";
import { MalformedResponseError } from "../errors.ts";

/**
 * Takes the response of the server for a stored object of the kind. The server guarantees the fields of a kind it serves
 * and of the metadata, so only the kind itself is checked: a proxy might have responded in its place.
 */
export function asObject<T extends KubeObject>(
  operation: string,
  resource: Kind<T>,
  answer: unknown,
): Stored<T> {
  if (isObjectOf(resource, answer)) return answer;
  throw new MalformedResponseError(operation, {
    problem: `the answer is ${describe(answer)}, not a ${resource.kind}`,
  });
}

/** As asObject, for deletes, which are also answered by a Status. */
export function asObjectOrStatus<T extends KubeObject>(
  operation: string,
  resource: Kind<T>,
  answer: unknown,
): Stored<T> | Status {
  return isStatus(answer) ? answer : asObject(operation, resource, answer);
}

/** As asObject, for lists. Lists of built-in kinds leave out what their items are; here every item says it. */
export function asList<T extends KubeObject>(
  operation: string,
  resource: Kind<T>,
  answer: unknown,
): KubeList<Stored<T>> {
  const problem = `the answer is ${describe(answer)}, not a list of ${resource.kind}`;
  const identity = identityOf(resource);
  const isList = isListAnswer(answer) && answer.kind === `${identity.kind}List`;
  if (!isList) throw new MalformedResponseError(operation, { problem });
  const items = (answer.items ?? []).map((item) => {
    const object = isRecord(item) && item.kind === undefined ? { ...identity, ...item } : item;
    return asObject(operation, resource, object);
  });
  return { apiVersion: answer.apiVersion, kind: answer.kind, metadata: answer.metadata, items };
}

/** `apiVersion` and `kind` of the objects of a kind. */
export function identityOf(resource: Kind): { readonly apiVersion: string; readonly kind: string } {
  if (resource.isMetadataOnly === true)
    return { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata" };
  return { apiVersion: apiVersionOf(resource), kind: resource.kind };
}

function isObjectOf<T extends KubeObject>(resource: Kind<T>, answer: unknown): answer is Stored<T> {
  const { apiVersion, kind } = identityOf(resource);
  return (
    isRecord(answer) && answer.kind === kind && answer.apiVersion === apiVersion && isRecord(answer.metadata)
  );
}

interface ListAnswer {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ListMeta;
  /** Go writes an empty list as null. */
  readonly items: readonly unknown[] | null;
}

function isListAnswer(answer: unknown): answer is ListAnswer {
  return (
    isRecord(answer) &&
    typeof answer.apiVersion === "string" &&
    typeof answer.kind === "string" &&
    isRecord(answer.metadata) &&
    (Array.isArray(answer.items) || answer.items === null)
  );
}

function describe(answer: unknown): string {
  return isRecord(answer) && typeof answer.kind === "string" ? `a ${answer.kind}` : "something else";
}
