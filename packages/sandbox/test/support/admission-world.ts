import {
  type Clock,
  formatTime,
  type GenericObject,
  genericResource,
  keyOf,
  type ObjectMeta,
  seededRandom,
} from "@keelson/core";
import { createRbac, type Rbac } from "../../src/auth/rbac.ts";
import type { UserInfo } from "../../src/auth/user.ts";
import { builtinServedResources } from "../../src/builtin/builtin-resources.ts";
import { type SendPost, webhookCaller } from "../../src/outgoing/post-webhook.ts";
import type { MutableObject } from "../../src/resource/mutable-object.ts";
import { createRegistry, type ResourceRegistry } from "../../src/resource/resource-registry.ts";
import type { ServedResource } from "../../src/resource/served-resource.ts";
import { type StoredObjects, storedObjects } from "../../src/resource/stored-objects.ts";
import type { WriteOptions } from "../../src/server/options/write-options.ts";
import { createObjectWriter } from "../../src/server/write/create-object-writer.ts";
import type { ObjectWriter } from "../../src/server/write/object-writer.ts";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import { type Store, type StoredObject, storeKey } from "../../src/store/store.ts";
import { createAdmissionChain } from "../../src/webhooks/admission-chain.ts";

/** A clock that stands still until a test moves it. */
interface HandClock extends Clock {
  advance(ms: number): Promise<void>;
}

function handClock(start: number = Date.UTC(2030, 0, 1)): HandClock {
  let now = start;
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  return {
    now: () => now,
    monotonicNow: () => now,
    schedule(delayMs, callback) {
      const timer = { at: now + delayMs, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(ms) {
      now += ms;
      for (const timer of [...timers].sort((a, b) => a.at - b.at)) {
        if (timer.at > now || !timers.delete(timer)) continue;
        timer.callback();
      }
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    },
  };
}

export interface AdmissionWorld {
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly read: StoredObjects;
  readonly rbac: Rbac;
  readonly writer: ObjectWriter;
  readonly clock: HandClock;
  readonly warnings: string[];
  readonly options: WriteOptions;
  resource(plural: string): ServedResource;
  /** Stores an object as it is, without admission. */
  put(plural: string, object: object): StoredObject;
  create(plural: string, object: object, options?: Partial<WriteOptions>): Promise<GenericObject>;
}

export const admin: UserInfo = { username: "admin", groups: ["system:masters", "system:authenticated"] };

/** All built-in kinds with the whole admission chain, and the namespaces `default` and `shop`. */
export function admissionWorld(sendPost: SendPost = noWebhooks): AdmissionWorld {
  const store = createMemoryStore();
  const registry = createRegistry();
  registry.replace("builtin", builtinServedResources());
  const clock = handClock();
  const random = seededRandom(1);
  const warnings: string[] = [];
  const read = storedObjects(store, registry);
  const rbac = createRbac({ store, read });
  const callWebhook = webhookCaller({ sendPost, read, clock });
  const admission = createAdmissionChain({
    ...{ store, read, rbac, registry, clock, random, callWebhook },
    async updateQuotaStatus(quota) {
      put("resourcequotas", quota);
    },
  });
  const writer = createObjectWriter({ store, registry, read, clock, random, admission });
  const options: WriteOptions = {
    user: admin,
    manager: "tester",
    dryRun: false,
    fieldValidation: "Warn",
    warn: (text) => warnings.push(text),
    signal: new AbortController().signal,
  };
  function resource(plural: string): ServedResource {
    const found = registry.all().find((one) => one.plural === plural && one.version === one.storageVersion);
    if (found === undefined) throw new Error(`no kind ${plural}`);
    return found;
  }
  function put(plural: string, given: object): StoredObject {
    const { collection, kind, group, version } = resource(plural);
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const object = asObject({ apiVersion, kind, ...structuredClone(given) });
    const { namespace, name } = keyOf(object);
    const key = storeKey(namespace, name);
    object.metadata.uid ??= `uid-of-${name}`;
    object.metadata.creationTimestamp ??= formatTime(clock.now());
    const before = store.get(collection, key)?.metadata.resourceVersion;
    return store.write({ collection, key, object, expectedRevision: Number(before ?? 0) });
  }
  const world: AdmissionWorld = {
    store,
    registry,
    read,
    rbac,
    writer,
    clock,
    warnings,
    options,
    resource,
    put,
    create(plural, given, differences = {}) {
      const served = resource(plural);
      const object = asObject({ ...metaOf(served), ...structuredClone(given) });
      const { namespace } = object.metadata;
      const target = { resource: served, namespace, subresource: undefined };
      return writer.create(target, object, { ...options, ...differences });
    },
  };
  for (const name of ["default", "shop"]) {
    put("namespaces", {
      metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
      status: { phase: "Active" },
    });
    put("serviceaccounts", { metadata: { name: "default", namespace: name, uid: `${name}-default` } });
  }
  return world;
}

function metaOf(resource: ServedResource): { readonly apiVersion: string; readonly kind: string } {
  const { group, version, kind } = genericResource(resource);
  return { apiVersion: group === "" ? version : `${group}/${version}`, kind };
}

function asObject(value: object): MutableObject {
  return { metadata: {} satisfies ObjectMeta, ...value } as MutableObject;
}

async function noWebhooks(): Promise<never> {
  throw new Error("no webhook was expected");
}
