import { controllerOf, type KubeObject, mergePatch, type ObjectContext, type Resource } from "keelson";
import { ownerReferenceTo } from "keelson/object";

/** What adopts: the kind of the reconciled object, and the field owner of its writes. */
export interface Adopter<T extends KubeObject> {
  readonly kind: Resource<T>;
  readonly fieldOwner: string;
}

/**
 * Makes the reconciled object the controller of an object that has none, as in a backup that was restored: without one, the
 * object would outlive its owner, and would not be applied any more.
 */
export async function adoptOrphan<Owner extends KubeObject, T extends KubeObject>(
  { object, find, client }: Pick<ObjectContext<Owner>, "object" | "find" | "client">,
  adopter: Adopter<Owner>,
  kind: Resource<T>,
  name: string,
): Promise<void> {
  const orphan = await find(kind, name);
  const { metadata } = orphan ?? {};
  if (orphan === undefined || metadata === undefined || metadata.deletionTimestamp !== undefined) return;
  if (controllerOf(orphan) !== undefined) return;
  const owner = ownerReferenceTo(
    { resource: adopter.kind, object },
    { controller: true, blockOwnerDeletion: true },
  );
  const others = (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.uid);
  const { resourceVersion, namespace } = metadata;
  // With the version, the server refuses the patch if another program has changed the owners meanwhile.
  const patch = mergePatch({ metadata: { resourceVersion, ownerReferences: [...others, owner] } });
  const key = { name, ...(namespace !== undefined && { namespace }) };
  await client.patch(kind, key, patch, { fieldOwner: adopter.fieldOwner });
}
