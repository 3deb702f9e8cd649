import {
  type Client,
  jsonPatch,
  type KubeObject,
  keyOf,
  NotFoundError,
  type ObjectKey,
  type OwnerReference,
  type Resource,
  type Stored,
} from "keelson";
import { type JsonPatchOperation, type ObjectOfKind, pointer } from "keelson/low-level";
import { isRefusedPatch, ownerReferenceTo } from "keelson/object";

/** The keys of the objects of a kind in a namespace. */
export async function keysIn(
  client: Pick<Client, "list">,
  resource: Resource,
  namespace: string | undefined,
): Promise<readonly ObjectKey[]> {
  if (namespace === undefined) return [];
  return (await client.list(resource, { namespace })).items.map(keyOf);
}

/** What an object is to have beside what it has. */
export interface Additions {
  readonly owner?: OwnerReference;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizer?: string;
}

/**
 * Adds what is missing by a patch that holds only for the version that was read; false if nothing was missing. Those who
 * call it watch the object: if it has changed, they are called again.
 */
export async function ensureMetadata<T extends KubeObject>(
  client: Client,
  { object, resource }: ObjectOfKind<T>,
  { owner, labels = {}, finalizer }: Additions,
): Promise<boolean> {
  const { metadata } = object;
  const owners = metadata.ownerReferences ?? [];
  const finalizers = metadata.finalizers ?? [];
  const hasLabels = Object.entries(labels).every(([name, value]) => metadata.labels?.[name] === value);
  const hasOwner = owner === undefined || owners.some(({ uid }) => uid === owner.uid);
  const hasFinalizer = finalizer === undefined || finalizers.includes(finalizer);
  if (hasLabels && hasOwner && hasFinalizer) return false;
  const set = (name: string, value: unknown): JsonPatchOperation => ({
    op: "add",
    path: pointer("metadata", name),
    value,
  });
  const operations: readonly JsonPatchOperation[] = [
    { op: "test", path: pointer("metadata", "resourceVersion"), value: metadata.resourceVersion },
    ...(hasLabels ? [] : [set("labels", { ...metadata.labels, ...labels })]),
    ...(hasOwner ? [] : [set("ownerReferences", [...owners, owner])]),
    ...(hasFinalizer ? [] : [set("finalizers", [...finalizers, finalizer])]),
  ];
  try {
    await client.patch(resource, keyOf(object), jsonPatch(operations));
  } catch (error) {
    if (!isRefusedPatch(error) && !(error instanceof NotFoundError)) throw error;
  }
  return true;
}

/** The controller reference, or a plain one, to an object. */
export function ownedBy<T extends KubeObject>(
  object: Stored<T>,
  resource: Resource<T>,
  options: { readonly controller: boolean },
): OwnerReference {
  return ownerReferenceTo({ object, resource }, { ...options, blockOwnerDeletion: true });
}
