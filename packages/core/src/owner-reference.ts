import { KeelsonError } from "./error.ts";
import { deepEqual } from "./json.ts";
import type { KubeObject, OwnerReference, Stored } from "./meta.ts";
import { apiVersionOf, kindOf, type Resource } from "./resource.ts";
import { describeObject, storedField } from "./stored-object.ts";

/** A stored object and its kind, which adds what an object does not contain: its plural and its scope. */
export interface ObjectOfKind<T extends KubeObject = KubeObject> {
  readonly object: Stored<T>;
  readonly resource: Resource<T>;
}

/** An object that gets an owner, stored or not, and its kind. */
export interface OwnedObject<T extends KubeObject = KubeObject> {
  readonly object: T;
  readonly resource: Resource;
}

export interface OwnerReferenceOptions {
  /** Whether the owner is the one that manages the object. Default: false. */
  readonly controller?: boolean;
  /** Whether a foreground deletion of the owner waits for the deletion of the object. Default: not stated. */
  readonly blockOwnerDeletion?: boolean;
}

/**
 * An object was given as an owner together with a kind that is not its own. The garbage collector would not find such
 * an owner and delete what refers to it.
 */
export class OwnerKindError extends KeelsonError {
  static override readonly brand: string = "@keelson/core.OwnerKindError";
  readonly code = "OWNER_KIND";

  constructor(owner: KubeObject, resource: Resource) {
    super(
      `refer to owner ${describeObject(owner)}: it is of ${owner.apiVersion}, and the resource given with it is ` +
        `${resource.kind} of ${apiVersionOf(resource)}; give the resource that the object was read with`,
    );
  }
}

/** Another controller owns the object already. There can only be one, or they would fight. */
export class AlreadyOwnedError extends KeelsonError {
  static override readonly brand: string = "@keelson/core.AlreadyOwnedError";
  readonly code = "ALREADY_OWNED";
  readonly owner: OwnerReference;

  constructor(object: KubeObject, owner: OwnerReference) {
    super(
      `set controller of ${describeObject(object)}: ${owner.kind} ${owner.name} (uid ${owner.uid}) controls it; choose ` +
        `another name for the object, or remove that owner reference if it is obsolete`,
    );
    this.owner = owner;
  }
}

/** The owner is in a namespace, and the object is not in the same one. The object would be garbage-collected at once. */
export class CrossNamespaceOwnerError extends KeelsonError {
  static override readonly brand: string = "@keelson/core.CrossNamespaceOwnerError";
  readonly code = "CROSS_NAMESPACE_OWNER";
  readonly ownerNamespace: string;
  readonly namespace: string | undefined;

  constructor(owner: KubeObject, object: KubeObject) {
    const { namespace } = object.metadata;
    super(
      `set owner of ${describeObject(object)}: the owner ${describeObject(owner)} is in another namespace; ` +
        `put both in one namespace, or track the object by labels and delete it in a finalizer`,
    );
    this.ownerNamespace = owner.metadata.namespace ?? "";
    this.namespace = namespace;
  }
}

/** The owner is in a namespace, and the object in none. The object would be garbage-collected at once. */
export class NamespacedOwnerError extends KeelsonError {
  static override readonly brand: string = "@keelson/core.NamespacedOwnerError";
  readonly code = "NAMESPACED_OWNER";
  readonly ownerNamespace: string;

  constructor(owner: KubeObject, object: KubeObject) {
    super(
      `set owner of ${describeObject(object)}: it is cluster-scoped and the owner ${describeObject(owner)} is in a namespace; ` +
        `track the object by labels and delete it in a finalizer`,
    );
    this.ownerNamespace = owner.metadata.namespace ?? "";
  }
}

/** The reference to `owner` for the objects that it owns. Throws OwnerKindError, and NotStoredError if it has no uid. */
export function ownerReferenceTo<T extends KubeObject>(
  owner: ObjectOfKind<T>,
  options: OwnerReferenceOptions = {},
): OwnerReference {
  const { object, resource } = owner;
  if (!isOfKind(object, resource)) throw new OwnerKindError(object, resource);
  const { controller, blockOwnerDeletion } = options;
  const action = "refer to owner";
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name: storedField(action, object, "name"),
    uid: storedField(action, object, "uid"),
    ...(controller !== undefined && { controller }),
    ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  };
}

/**
 * The object with `owner` as its controller: it is garbage-collected with the owner, and its changes trigger the owner's
 * reconciler. A reference to the same owner is updated in its place, for instance to another API version. Returns
 * the same object if nothing changes.
 *
 * An owner is the same if its uid is. One that was deleted and created again under its name is another: the objects of
 * the former are being deleted, and adopting them would keep half of them.
 *
 * Throws AlreadyOwnedError, CrossNamespaceOwnerError, NamespacedOwnerError, OwnerKindError or NotStoredError.
 */
export function setControllerReference<Owner extends KubeObject, T extends KubeObject>(
  owner: ObjectOfKind<Owner>,
  controlled: OwnedObject<T>,
  { blockOwnerDeletion = true }: Pick<OwnerReferenceOptions, "blockOwnerDeletion"> = {},
): T {
  refuseAcrossNamespaces(owner, controlled);
  const reference = ownerReferenceTo(owner, { controller: true, blockOwnerDeletion });
  const controller = controllerOf(controlled.object);
  if (controller !== undefined && controller.uid !== reference.uid) {
    throw new AlreadyOwnedError(controlled.object, controller);
  }
  return withReference(controlled.object, reference);
}

/**
 * The object with `owner` among its owners, not as its controller: it lives as long as one of its owners does. A
 * reference to the same owner is replaced, also one that made it the controller. Returns the same object if nothing
 * changes. Throws CrossNamespaceOwnerError, NamespacedOwnerError, OwnerKindError or NotStoredError.
 */
export function setOwnerReference<Owner extends KubeObject, T extends KubeObject>(
  owner: ObjectOfKind<Owner>,
  owned: OwnedObject<T>,
  options: Pick<OwnerReferenceOptions, "blockOwnerDeletion"> = {},
): T {
  refuseAcrossNamespaces(owner, owned);
  const { blockOwnerDeletion } = options;
  return withReference(
    owned.object,
    ownerReferenceTo(owner, blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
  );
}

/** The object without that owner; the same object if it was none. */
export function removeOwnerReference<T extends KubeObject>(owner: KubeObject, object: T): T {
  if (!hasOwner(object, owner)) return object;
  const references = ownersOf(object).filter(({ uid }) => uid !== owner.metadata.uid);
  return { ...object, metadata: { ...object.metadata, ownerReferences: references } };
}

/** The one owner that manages the object, if there is one. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return ownersOf(object).find(({ controller }) => controller === true);
}

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const controller = controllerOf(object);
  return controller !== undefined && controller.uid === owner.metadata.uid;
}

/** Whether `owner` is among the owners of the object, as its controller or not. */
export function hasOwner(object: KubeObject, owner: KubeObject): boolean {
  return ownersOf(object).some(({ uid }) => uid === owner.metadata.uid);
}

function ownersOf(object: KubeObject): readonly OwnerReference[] {
  return object.metadata.ownerReferences ?? [];
}

function withReference<T extends KubeObject>(object: T, reference: OwnerReference): T {
  const references = ownersOf(object);
  const existing = references.find(({ uid }) => uid === reference.uid);
  if (deepEqual(existing, reference)) return object;
  const ownerReferences =
    existing === undefined
      ? [...references, reference]
      : references.map((each) => (each === existing ? reference : each));
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

/** By group and kind, since every version is the same object. Of an object's metadata alone its kind cannot be known. */
function isOfKind(object: KubeObject, resource: Resource): boolean {
  const { group, kind } = kindOf(object);
  if (group === "meta.k8s.io" && kind === "PartialObjectMetadata") return true;
  return group === resource.group && kind === resource.kind;
}

function refuseAcrossNamespaces(owner: OwnedObject, owned: OwnedObject): void {
  if (owner.resource.scope === "Cluster") return;
  if (owned.resource.scope === "Cluster") throw new NamespacedOwnerError(owner.object, owned.object);
  if (owner.object.metadata.namespace !== owned.object.metadata.namespace) {
    throw new CrossNamespaceOwnerError(owner.object, owned.object);
  }
}
