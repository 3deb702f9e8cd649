import {
  apiVersionOf,
  type Clock,
  type GenericObject,
  isStatus,
  type ObjectMeta,
  type Random,
  seededRandom,
} from "@keelson/core";
import type { AdmissionChain } from "../../src/admission/admission.ts";
import { builtinSchema } from "../../src/builtin/builtin-schemas.ts";
import type { MutableObject } from "../../src/resource/mutable-object.ts";
import type { ResourceRegistry } from "../../src/resource/resource-registry.ts";
import type { ServedResource } from "../../src/resource/served-resource.ts";
import { storedObjects } from "../../src/resource/stored-objects.ts";
import type { Strategy } from "../../src/resource/strategy.ts";
import type { FieldSchema } from "../../src/schema/field-schema.ts";
import type { WriteOptions } from "../../src/server/options/write-options.ts";
import { createObjectWriter } from "../../src/server/write/create-object-writer.ts";
import type { NamedTarget, ObjectWriter } from "../../src/server/write/object-writer.ts";
import { ApiError } from "../../src/status/api-error.ts";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";

const plainStrategy: Strategy = {
  setDefaults() {},
  prepareForCreate() {},
  prepareForUpdate() {},
  validate: () => [],
  validateUpdate: () => [],
  countsGenerations: false,
  allowsCreateOnUpdate: false,
  allowsUnconditionalUpdate: true,
};

const anything: FieldSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const freeForm: FieldSchema = { "x-kubernetes-preserve-unknown-fields": true };
const text: FieldSchema = { type: "string" };

/** The metadata of all built-in kinds, and anything elsewhere. */
function builtinForm(): FieldSchema {
  const metadata = builtinSchema("", "v1", "ConfigMap")?.properties?.metadata ?? {};
  const properties = {
    apiVersion: text,
    kind: text,
    metadata,
    data: freeForm,
    spec: freeForm,
    status: freeForm,
  };
  return { type: "object", typeName: "v1.Note", properties };
}

type Differences = Partial<Omit<ServedResource, "strategy">> & { readonly strategy?: Partial<Strategy> };

/** A kind as the tests need it; by default a core one without status. */
export function servedKind(kind: string, { strategy, ...differences }: Differences = {}): ServedResource {
  const group = differences.group ?? "";
  const plural = `${kind.toLowerCase()}s`;
  return {
    group,
    version: "v1",
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    scope: "Namespaced",
    shortNames: [],
    categories: [],
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    collection: group === "" ? plural : `${plural}.${group}`,
    storageVersion: "v1",
    schema: differences.isCustom === true ? anything : builtinForm(),
    subresources: new Map(),
    columns: [],
    selectableFields: [],
    isCustom: false,
    prunesUnknownFields: false,
    strategy: { ...plainStrategy, ...strategy },
    ...differences,
  };
}

const statusSubresource = { name: "status", verbs: ["get", "patch", "update"], kind: "Gadget" };

export const note: ServedResource = servedKind("Note");

/** A custom kind with a status subresource. */
export const gadget: ServedResource = servedKind("Gadget", {
  group: "example.com",
  isCustom: true,
  prunesUnknownFields: true,
  schema: {
    type: "object",
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      spec: {
        type: "object",
        properties: {
          size: { type: "integer", default: 3 },
          tags: { type: "array", items: { type: "string" } },
        },
      },
      status: { type: "object", properties: { phase: { type: "string" } } },
    },
  },
  subresources: new Map([["status", statusSubresource]]),
  strategy: { countsGenerations: true, allowsUnconditionalUpdate: false },
});

export interface World {
  readonly store: Store;
  readonly writer: ObjectWriter;
  readonly registry: ResourceRegistry;
  readonly warnings: string[];
  readonly options: WriteOptions;
  /** Milliseconds since 1970. */
  now: number;
  admission: AdmissionChain;
}

/** A writer with a store of its own, at the beginning of 2030. */
export function writerWorld(
  resources: readonly ServedResource[] = [note, gadget],
  random: Random = seededRandom(1),
): World {
  const store = createMemoryStore();
  const warnings: string[] = [];
  const registry = fixedRegistry(resources);
  const clock: Clock = {
    now: () => world.now,
    monotonicNow: () => world.now,
    schedule: () => () => {},
  };
  const world: World = {
    store,
    registry,
    warnings,
    now: Date.UTC(2030, 0, 1),
    admission: { mutating: [], validating: [] },
    options: {
      user: { username: "tester", groups: [] },
      manager: "tester",
      dryRun: false,
      fieldValidation: "Warn",
      warn: (text) => warnings.push(text),
      signal: new AbortController().signal,
    },
    writer: createObjectWriter({
      store,
      registry,
      read: storedObjects(store, registry),
      clock,
      random,
      admission: () => world.admission,
    }),
  };
  return world;
}

function fixedRegistry(resources: readonly ServedResource[]): ResourceRegistry {
  return {
    find: (group, version, plural) =>
      resources.find((one) => one.group === group && one.version === version && one.plural === plural),
    findKind: (group, version, kind) =>
      resources.find((one) => one.group === group && one.version === version && one.kind === kind),
    findStored: (group, plural) =>
      resources.find(
        (one) => one.group === group && one.plural === plural && one.version === one.storageVersion,
      ),
    all: () => resources,
    replace() {},
    onChange: () => () => {},
  };
}

/** An object as a client sends it. */
export function sent(
  resource: ServedResource,
  metadata: ObjectMeta,
  fields: Readonly<Record<string, unknown>> = {},
): MutableObject {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: structuredClone(metadata),
    ...fields,
  } as MutableObject;
}

export function at(resource: ServedResource, name: string, subresource?: string): NamedTarget {
  const namespace = resource.scope === "Namespaced" ? "shop" : undefined;
  return { resource, name, namespace, subresource };
}

/** What the store holds of an object in the namespace of the tests. */
export function stored({ store }: World, resource: ServedResource, name: string): GenericObject | undefined {
  return store.get(resource.collection, resource.scope === "Namespaced" ? `shop/${name}` : name);
}

/** The Status of the refusal. Everything else that is thrown is a bug. */
export async function refusal(write: Promise<unknown>): Promise<ApiError["status"]> {
  try {
    await write;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
  throw new Error("the write was not refused");
}

/** The object of an response that may be a Status. */
export function objectOf(response: unknown): GenericObject {
  if (isStatus(response)) throw new Error(`got a Status: ${JSON.stringify(response)}`);
  return response as GenericObject;
}
