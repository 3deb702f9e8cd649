import {
  type Clock,
  deepEqual,
  formatTime,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type Resource,
  type Stored,
  toError,
} from "@keelson/core";
import { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import type { ResourceRegistry } from "../resource/resource-registry.ts";
import { ApiError } from "../status/api-error.ts";
import { type Store, type StoreChange, storeKey } from "../store/store.ts";
import { decideNames } from "./accepted-names.ts";
import type { ConversionTools } from "./conversion-webhook.ts";
import { approvalVerdict } from "./definition/api-approval.ts";
import {
  cleanupFinalizer,
  crdCollection,
  type Definition,
  hasCondition,
  storedDefinitionOf,
} from "./definition/definition.ts";
import {
  completed,
  established,
  establishing,
  hasVerdict,
  inProgress,
  neverEstablished,
  type Verdict,
  withVerdict,
} from "./definition/definition-conditions.ts";
import { servedResources } from "./served-definition.ts";

/** What the followers of definitions write with; the server's way for its own controllers. */
export interface DefinitionWriter {
  update<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: { readonly manager: string; readonly subresource?: string },
  ): Promise<T>;
  delete(resource: Resource, key: ObjectKey, options: { readonly manager: string }): Promise<void>;
}

export interface FollowOptions extends ConversionTools {
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly writer: DefinitionWriter;
  readonly clock: Clock;
  /** Is called with writes that failed unexpectedly; they are retried. */
  onError(error: Error): void;
}

const manager = "kube-apiserver";
const retryMs = 1_000;

/**
 * Serves what CustomResourceDefinitions define, as long as it runs: decides on their names, establishes them, registers
 * their kinds, and clears away their objects before they go. What a definition says of its kind counts from the moment
 * it is stored. Gives a function that stops it, and forgets what was served.
 */
export function followDefinitions(options: FollowOptions): () => Promise<void> {
  const follower = new Follower(options);
  return () => follower.stop();
}

class Follower {
  readonly #options: FollowOptions;
  readonly #pending = new Set<string>();
  /** What is served, by the name of the definition, with what it was made from. */
  readonly #served = new Map<string, ServedFrom>();
  /** Of definitions that wait for the last of their objects to go. */
  readonly #waiting = new Map<string, () => void>();
  readonly #timers = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #working: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: FollowOptions) {
    this.#options = options;
    const { store } = options;
    const { revision } = store;
    for (const object of store.list(crdCollection)) this.#note(storedDefinitionOf(object));
    this.#unsubscribe = store.subscribe(crdCollection, revision, (change) => this.#follow(change));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    for (const end of [...this.#waiting.values(), ...this.#timers]) end();
    await this.#working;
    for (const name of this.#served.keys()) this.#options.registry.replace(name, []);
  }

  #follow({ type, key, object }: StoreChange): void {
    if (type !== "DELETED") {
      this.#note(storedDefinitionOf(object));
      return;
    }
    this.#endWait(key);
    this.#served.delete(key);
    this.#options.registry.replace(key, []);
    this.#reconsiderGroup(storedDefinitionOf(object));
  }

  #note(definition: Stored<Definition>): void {
    this.#serve(definition);
    this.#enqueue(definition.metadata.name);
  }

  /** A name that was released or accepted may decide about the names of another definition. */
  #reconsiderGroup({ spec, metadata }: Stored<Definition>): void {
    for (const other of this.#definitions()) {
      const isOther = other.metadata.name !== metadata.name;
      if (isOther && other.spec.group === spec.group) this.#enqueue(other.metadata.name);
    }
  }

  #definitions(): readonly Stored<Definition>[] {
    return this.#options.store.list(crdCollection).map(storedDefinitionOf);
  }

  #serve(definition: Stored<Definition>): void {
    if (!hasCondition(definition, "Established")) return;
    const { metadata, spec, status } = definition;
    const { name } = metadata;
    const from: ServedFrom = {
      uid: metadata.uid,
      spec,
      names: status?.acceptedNames,
      isTerminating: hasCondition(definition, "Terminating"),
    };
    if (deepEqual(this.#served.get(name), from)) return;
    this.#served.set(name, from);
    this.#options.registry.replace(name, servedResources(definition, this.#options));
  }

  #enqueue(name: string): void {
    if (this.#isStopped) return;
    this.#pending.add(name);
    this.#working ??= Promise.resolve().then(() => this.#work());
  }

  async #work(): Promise<void> {
    for (const name of this.#pending) {
      this.#pending.delete(name);
      if (this.#isStopped) break;
      try {
        await this.#reconcile(name);
      } catch (error) {
        // Who wrote in between makes us look again.
        if (!(error instanceof ApiError) || (error.status.code !== 409 && error.status.code !== 404)) {
          this.#options.onError(toError(error));
          this.#retry(name);
        }
      }
    }
    this.#working = undefined;
    if (this.#pending.size > 0 && !this.#isStopped) this.#working = this.#work();
  }

  #retry(name: string): void {
    const cancel = this.#options.clock.schedule(retryMs, () => {
      this.#timers.delete(cancel);
      this.#enqueue(name);
    });
    this.#timers.add(cancel);
  }

  async #reconcile(name: string): Promise<void> {
    const stored = this.#options.store.get(crdCollection, name);
    if (stored === undefined) return;
    const definition = storedDefinitionOf(stored);
    if (definition.metadata.deletionTimestamp !== undefined) await this.#terminate(definition);
    else await this.#establish(definition);
  }

  /** First the names, then, when the kind is served, the promise that it is. */
  async #establish(definition: Stored<Definition>): Promise<void> {
    const { spec, status } = definition;
    const approval = approvalVerdict(definition);
    if (approval !== undefined && !hasVerdict(definition, approval)) {
      await this.#writeStatus(definition, [approval]);
      return;
    }
    if (!deepEqual(spec.names, status?.acceptedNames)) {
      const otherDefinitions = this.#definitions().filter(
        ({ metadata }) => metadata.name !== definition.metadata.name,
      );
      const { names, isAccepted, reason, message } = decideNames(definition, otherDefinitions);
      const accepted: Verdict = {
        type: "NamesAccepted",
        status: isAccepted ? "True" : "False",
        reason,
        message,
      };
      const isSame = deepEqual(names, status?.acceptedNames) && hasVerdict(definition, accepted);
      if (isSame) return;
      await this.#writeStatus(definition, [accepted, ...establishing(definition, isAccepted)], names);
      this.#reconsiderGroup(definition);
      return;
    }
    if (hasCondition(definition, "Established") || !hasCondition(definition, "NamesAccepted")) return;
    await this.#writeStatus(definition, [established]);
  }

  /** Deletes all objects, waits for those that are held, and lets the definition go. */
  async #terminate(definition: Stored<Definition>): Promise<void> {
    const { name, finalizers = [] } = definition.metadata;
    if (!finalizers.includes(cleanupFinalizer)) return;
    const started = await this.#writeStatus(definition, [inProgress]);
    const isEstablished = hasCondition(definition, "Established");
    if (isEstablished && !(await this.#clear(definition))) {
      this.#waitForLast(name, collectionOf(definition));
      return;
    }
    this.#endWait(name);
    const last = await this.#writeStatus(
      started,
      [isEstablished ? completed : neverEstablished],
      undefined,
      true,
    );
    if (!last.metadata.finalizers?.includes(cleanupFinalizer)) return;
    // Looking again at once would never end.
    this.#pending.delete(name);
    this.#retry(name);
  }

  /** Whether nothing is left. */
  async #clear(definition: Stored<Definition>): Promise<boolean> {
    const { store, writer } = this.#options;
    const collection = collectionOf(definition);
    const served = this.#options.registry.all().find((one) => one.isCustom && one.collection === collection);
    for (const object of store.list(collection)) {
      const { deletionTimestamp, resourceVersion } = object.metadata;
      if (deletionTimestamp !== undefined) continue;
      const key = keyOf(object);
      if (served !== undefined) await writer.delete(served, key, { manager });
      else {
        // An object of a kind that no version serves can only be removed from the store.
        store.write({
          collection,
          key: storeKey(key.namespace, key.name),
          object: undefined,
          expectedRevision: Number(resourceVersion),
        });
      }
    }
    return store.count(collection) === 0;
  }

  #waitForLast(name: string, collection: string): void {
    if (this.#waiting.has(name)) return;
    const { store } = this.#options;
    this.#waiting.set(
      name,
      store.subscribe(collection, store.revision, ({ type }) => {
        if (type === "DELETED" && store.count(collection) === 0) this.#enqueue(name);
      }),
    );
    // The last object may have been deleted just before.
    if (store.count(collection) === 0) this.#enqueue(name);
  }

  #endWait(name: string): void {
    this.#waiting.get(name)?.();
    this.#waiting.delete(name);
  }

  async #writeStatus(
    definition: Definition,
    verdicts: readonly Verdict[],
    acceptedNames = definition.status?.acceptedNames,
    isFinal = false,
  ): Promise<Definition> {
    const { metadata, status } = definition;
    const now = formatTime(this.#options.clock.now());
    const conditions = verdicts.reduce(
      (all, verdict) => withVerdict(all, verdict, now),
      status?.conditions ?? [],
    );
    const finalizers = (metadata.finalizers ?? []).filter((one) => one !== cleanupFinalizer);
    const changed: Definition = {
      ...definition,
      metadata: isFinal ? { ...metadata, finalizers } : metadata,
      status: { ...status, conditions, ...(acceptedNames === undefined ? {} : { acceptedNames }) },
    };
    if (!isFinal && deepEqual(changed, definition)) return definition;
    return await this.#options.writer.update(CustomResourceDefinition, changed, {
      manager,
      subresource: "status",
    });
  }
}

interface ServedFrom {
  readonly uid: string | undefined;
  readonly spec: Definition["spec"];
  readonly names: unknown;
  readonly isTerminating: boolean;
}

function collectionOf({ spec, status }: Definition): string {
  return `${status?.acceptedNames?.plural ?? spec.names.plural}.${spec.group}`;
}
