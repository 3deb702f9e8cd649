import { InvalidError } from "@keelson/client";
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
import type { Incompatibility } from "@keelson/schema";

/** An object has the name of an object to be owned, and has another controller or none. It was left as it is. */
export class ForeignObjectError extends KeelsonError {
  static override readonly brand: string = "keelson.ForeignObjectError";
  readonly code = "FOREIGN_OBJECT";
  readonly resource: Resource;
  readonly key: ObjectKey;
  /** Its controller; undefined if it has none, as when a user created it. */
  readonly controller: OwnerReference | undefined;
  /** It is being deleted, so its name becomes free without help. */
  readonly isDeleting: boolean;

  constructor(resource: Resource, object: KubeObject, controller: OwnerReference | undefined) {
    const key = keyOf(object);
    const isDeleting = object.metadata.deletionTimestamp !== undefined;
    const control =
      controller === undefined ? "it has no controller" : `${controller.kind} ${controller.name} controls it`;
    super(
      `apply ${groupResourceOf(resource)} ${formatKey(key)}: it exists already and ${control}; ` +
        (isDeleting ? "it is being deleted" : "delete or rename it, or rename the object that is to own it"),
    );
    this.resource = resource;
    this.key = key;
    this.controller = controller;
    this.isDeleting = isDeleting;
  }
}

/** The write that was refused, and its object. */
export interface RefusedWrite {
  readonly verb: "apply" | "adopt" | "patch" | "write the status of" | "change the finalizers of";
  readonly resource: Resource;
  readonly key: ObjectKey;
}

/** An object has changed since it was read, so it was left as it is. The next reconcile reads it again. */
export class StaleObjectError extends KeelsonError {
  static override readonly brand: string = "keelson.StaleObjectError";
  readonly code = "STALE_OBJECT";
  readonly resource: Resource;
  readonly key: ObjectKey;

  constructor({ verb, resource, key }: RefusedWrite, options: { readonly cause: unknown }) {
    super(
      `${verb} ${groupResourceOf(resource)} ${formatKey(key)}: it has changed since it was read; read it again`,
      options,
    );
    this.resource = resource;
    this.key = key;
  }
}

/** Whether a JSON patch did not fit the object. For an object that is not valid the server lists causes instead. */
export function isRefusedPatch(error: unknown): error is InvalidError {
  return error instanceof InvalidError && (error.status.details?.causes ?? []).length === 0;
}

/** What a new CustomResourceDefinition would break. */
export interface CrdIncompatibility extends Incompatibility {
  /** The name of the definition, such as `webapps.example.com`. */
  readonly crd: string;
}

/** CustomResourceDefinitions would break stored objects or clients of those that are installed, so none was applied. */
export class IncompatibleCrdsError extends KeelsonError {
  static override readonly brand: string = "keelson.IncompatibleCrdsError";
  readonly code = "INCOMPATIBLE_CRDS";
  readonly incompatibilities: readonly CrdIncompatibility[];

  constructor(incompatibilities: readonly CrdIncompatibility[]) {
    const lines = incompatibilities.map(formatIncompatibility);
    super(
      "install the CustomResourceDefinitions: stored objects or clients would break; keep the schema compatible, or set " +
        `allowIncompatible\n  ${lines.join("\n  ")}`,
    );
    this.incompatibilities = incompatibilities;
  }
}

/** Such as `webapps.example.com v1 .spec.port: The type changed from string to integer.` */
export function formatIncompatibility({ crd, version, path, message }: CrdIncompatibility): string {
  return `${[crd, version, path].filter((part) => part !== undefined && part !== "").join(" ")}: ${message}`;
}
