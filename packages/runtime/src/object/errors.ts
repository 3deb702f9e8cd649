import {
  formatKey,
  groupResourceOf,
  KeelsonError,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type OwnerReference,
  type Resource,
} from "@keelson/core";

/** An object that is to be ours has the name that we want, and is somebody else's. It was left as it is. */
export class ForeignObjectError extends KeelsonError {
  static override readonly brand: string = "keelson.ForeignObjectError";
  readonly code = "FOREIGN_OBJECT";
  readonly resource: Resource;
  readonly key: ObjectKey;
  /** Who controls it; undefined if nobody says so, as when a user made it. */
  readonly controller: OwnerReference | undefined;
  /** It is on its way out, so its name will be free by itself. */
  readonly isDeleting: boolean;

  constructor(resource: Resource, object: KubeObject, controller: OwnerReference | undefined) {
    const key = keyOf(object);
    const isDeleting = object.metadata.deletionTimestamp !== undefined;
    const whose =
      controller === undefined ? "it has no controller" : `${controller.kind} ${controller.name} controls it`;
    super(
      `apply ${groupResourceOf(resource)} ${formatKey(key)}: it is there already and ${whose}; ` +
        (isDeleting ? "it is being deleted" : "delete or rename it, or rename what wants to own it"),
    );
    this.resource = resource;
    this.key = key;
    this.controller = controller;
    this.isDeleting = isDeleting;
  }
}

/** What was to be done to which object. */
export interface RefusedWrite {
  readonly verb: "apply" | "write the status of";
  readonly resource: Resource;
  readonly key: ObjectKey;
}

/** An object is no longer the one that was read, so it was left as it is. Another run will read what is there now. */
export class StaleObjectError extends KeelsonError {
  static override readonly brand: string = "keelson.StaleObjectError";
  readonly code = "STALE_OBJECT";
  readonly resource: Resource;
  readonly key: ObjectKey;

  constructor({ verb, resource, key }: RefusedWrite, options: { readonly cause: unknown }) {
    super(
      `${verb} ${groupResourceOf(resource)} ${formatKey(key)}: it is not what it was when it was read; read it again`,
      options,
    );
    this.resource = resource;
    this.key = key;
  }
}
