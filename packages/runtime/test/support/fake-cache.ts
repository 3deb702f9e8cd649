import type { KubeObject, ObjectKey, Resource, Stored } from "@keelson/core";
import type { AcquireOptions, Cache, InformerLease } from "../../src/cache/cache.ts";
import type { InformerEvent, InformerHandler } from "../../src/cache/informer/informer.ts";
import { stored } from "./stored.ts";

interface Subscriber {
  readonly resource: Resource;
  readonly options: AcquireOptions;
  notify(event: InformerEvent<KubeObject>): void;
}

/** A cache whose informers hold nothing and emit the events of the test. */
export class FakeCache implements Cache {
  readonly subscribers: Subscriber[] = [];
  readonly statuses = [];

  acquire<T extends KubeObject>(resource: Resource<T>, options: AcquireOptions = {}): InformerLease<T> {
    return {
      resource,
      hasSynced: true,
      statuses: [],
      synced: async () => undefined,
      get: () => undefined,
      list: () => [],
      addIndex: () => undefined,
      release: async () => undefined,
      subscribe: (handler) => this.#subscribe(resource, options, handler),
    };
  }

  addIndex(): void {}

  peek(): undefined {}

  coversNamespace(): boolean {
    return true;
  }

  async run(): Promise<void> {}

  async synced(): Promise<void> {}

  /** The watched kinds, one entry for each subscriber. */
  get watched(): readonly string[] {
    return this.subscribers.map(
      ({ resource }) => `${resource.kind}${resource.isMetadataOnly ? " (metadata)" : ""}`,
    );
  }

  /** Emits the creation of an object. */
  create(resource: Resource, key: ObjectKey, metadata: Partial<KubeObject["metadata"]> = {}): void {
    this.emit(resource, {
      type: "create",
      key,
      object: objectOf(resource, key, metadata),
      isInInitialList: false,
    });
  }

  emit(resource: Resource, event: InformerEvent<KubeObject>): void {
    for (const subscriber of this.subscribers) {
      if (subscriber.resource.kind === resource.kind) subscriber.notify(event);
    }
  }

  #subscribe<T extends KubeObject>(
    resource: Resource<T>,
    options: AcquireOptions,
    handler: InformerHandler<T>,
  ) {
    const subscriber: Subscriber = {
      resource,
      options,
      // The test emits objects of the kind that it names.
      notify: (event) => void handler(event as InformerEvent<T>),
    };
    this.subscribers.push(subscriber);
    return {
      hasSynced: true,
      synced: async () => undefined,
      remove: async () => {
        this.subscribers.splice(this.subscribers.indexOf(subscriber), 1);
      },
    };
  }
}

export function objectOf(
  { kind, group, version }: Resource,
  { namespace, name }: ObjectKey,
  metadata: Partial<KubeObject["metadata"]> = {},
): Stored {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return stored({
    apiVersion,
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }), ...metadata },
  });
}
