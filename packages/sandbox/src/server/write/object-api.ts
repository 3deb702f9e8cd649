import {
  apiVersionOf,
  draft,
  type GenericObject,
  isRecord,
  KeelsonError,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type Resource,
  type Stored,
} from "@keelson/core";
import { systemUser, type UserInfo } from "../../auth/user.ts";
import { decoded, type MutableObject } from "../../resource/mutable-object.ts";
import type { ResourceRegistry } from "../../resource/resource-registry.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import { DecodeError } from "../../schema/decode.ts";
import { badRequest, pageNotFound } from "../../status/api-error.ts";
import { type Store, storeKey } from "../../store/store.ts";
import { decodeValue } from "../body/decode-value.ts";
import type { DeleteOptions } from "../options/delete-options.ts";
import type { WriteOptions } from "../options/write-options.ts";
import type { NamedTarget, ObjectWriter } from "./object-writer.ts";
import { storedApiVersion } from "./stored-version.ts";

/**
 * Reads and writes objects in this process, with the rules of requests (defaults, validation, admission, managed
 * fields) and without authorization. Writes throw ApiError. The controllers work with it.
 */
export interface ObjectApi {
  /** The current object; undefined if it does not exist. */
  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Stored<T> | undefined;
  list<T extends KubeObject>(resource: Resource<T>, namespace?: string): readonly Stored<T>[];
  create<T extends KubeObject>(resource: Resource<T>, object: T, options: WriterOptions): Promise<Stored<T>>;
  /** Replaces the object, or its subresource; a stale resourceVersion is a conflict. */
  update<T extends KubeObject>(resource: Resource<T>, object: T, options: WriterOptions): Promise<Stored<T>>;
  delete(resource: Resource, key: ObjectKey, options: DeleteOptions & WriterOptions): Promise<void>;
}

export interface WriterOptions {
  /** Default: the system user. */
  readonly user?: UserInfo;
  /** The field manager, such as `kube-controller-manager`. */
  readonly manager: string;
  readonly subresource?: string;
}

/** A read of a version that is not the storage version and would need a conversion. */
export class ConvertedReadError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.ConvertedReadError";
  readonly code = "CONVERTED_READ";

  constructor({ plural }: Resource, apiVersion: string, stored: string) {
    super(`read ${plural} as ${apiVersion}: they are stored as ${stored}; read that version`);
  }
}

export function createObjectApi(writer: ObjectWriter, store: Store, registry: ResourceRegistry): ObjectApi {
  function served({ group, version, plural }: Resource): ServedResource {
    const found = registry.find(group, version, plural);
    if (found === undefined) throw pageNotFound();
    return found;
  }

  return {
    get(resource, { namespace, name }) {
      const found = served(resource);
      const object = store.get(found.collection, storeKey(namespace, name));
      return object && typed(resource, asServed(resource, found, object));
    },
    list(resource, namespace) {
      const found = served(resource);
      const objects = store.list(found.collection, namespace === undefined ? {} : { namespace });
      return objects.map((object) => typed(resource, asServed(resource, found, object)));
    },
    async create(resource, object, options) {
      const { namespace } = object.metadata;
      const target = { resource: served(resource), namespace, subresource: options.subresource };
      const copy = decodedCopy(target.resource, object);
      return typed(resource, await writer.create(target, copy, writeOptions(options)));
    },
    async update(resource, object, options) {
      const { namespace, name } = keyOf(object);
      const target: NamedTarget = {
        resource: served(resource),
        namespace,
        name,
        subresource: options.subresource,
      };
      const stored = store.get(target.resource.collection, storeKey(namespace, name));
      const copy = decodedCopy(target.resource, object, stored);
      const written = await writer.update(target, copy, writeOptions(options));
      return typed(resource, written.object);
    },
    async delete(resource, { namespace, name }, options) {
      const target: NamedTarget = {
        resource: served(resource),
        namespace,
        name,
        subresource: options.subresource,
      };
      await writer.delete(target, { ...options, ...writeOptions(options) });
    },
  };
}

function asServed(resource: Resource, served: ServedResource, object: GenericObject): GenericObject {
  const apiVersion = apiVersionOf(served);
  if (object.apiVersion === apiVersion) return object;
  if (served.convert !== undefined) {
    throw new ConvertedReadError(resource, apiVersion, storedApiVersion(served));
  }
  return { ...object, apiVersion };
}

/** The schema of the kind has checked every stored object. */
function typed<T extends KubeObject>(_resource: Resource<T>, object: GenericObject): Stored<T> {
  return decoded<Stored<T>>(object);
}

/**
 * A copy for the writer in the form of a decoded request: without empty fields that mean the same as absent ones. Parts
 * that come unchanged from the store have this form already.
 */
function decodedCopy(resource: ServedResource, object: KubeObject, stored?: GenericObject): MutableObject {
  const { managedFields, ...metadata } = object.metadata;
  const fields = Object.entries({ ...object, metadata });
  const isStored = (name: string, value: unknown): boolean => isRecord(value) && value === stored?.[name];
  const given = decodedFields(resource, Object.fromEntries(fields.filter((field) => !isStored(...field))));
  const copy: MutableObject = { apiVersion: given.apiVersion, kind: given.kind, metadata: given.metadata };
  for (const [name, value] of fields) {
    if (isStored(name, value)) copy[name] = draft(value);
    else if (Object.hasOwn(given, name)) copy[name] = given[name];
  }
  // Managed fields are replaced, never changed: sharing those of the stored object makes comparing them cheap.
  if (managedFields !== undefined) {
    const entries = Object.isFrozen(managedFields) ? managedFields : draft(managedFields);
    Reflect.set(copy.metadata, "managedFields", entries);
  }
  return copy;
}

function decodedFields(resource: ServedResource, fields: Readonly<Record<string, unknown>>): MutableObject {
  try {
    return decodeValue(resource, draft(fields)).object;
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(error.message) : error;
  }
}

/** The writes of controllers are never aborted. */
const never = new AbortController().signal;

function writeOptions({ user = systemUser, manager }: WriterOptions): WriteOptions {
  return { user, manager, dryRun: false, fieldValidation: "Ignore", warn() {}, signal: never };
}
