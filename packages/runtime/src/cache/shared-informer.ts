import type { Selection } from "@keelson/client";
import {
  formatLabelSelector,
  groupResourceOf,
  type KubeObject,
  type ObjectKey,
  type Resource,
  type Stored,
  systemClock,
} from "@keelson/core";
import { type Logger, silentLogger } from "../logger.ts";
import { Reflector } from "../watch/reflector.ts";
import type { ReflectorOptions } from "../watch/reflector-options.ts";
import { keyTextOf, type Snapshot } from "../watch/snapshot.ts";
import { InformerReusedError } from "./errors.ts";
import type {
  IndexFunction,
  Informer,
  InformerHandler,
  InformerStatus,
  StoreQuery,
  SubscribeOptions,
  Subscription,
} from "./informer.ts";
import { InformerCore, type OnProgress } from "./informer-core.ts";

export interface SharedInformerOptions<T extends KubeObject> extends Omit<ReflectorOptions<T>, "sink"> {
  /**
   * Cuts each object down before it is stored, indexed or delivered; exactly once, and it may change what it is given
   * [IN12]. If it throws, that is reported with the object's key, and everything is read again after a wait.
   */
  readonly transform?: (object: Stored<T>) => Stored<T>;
  /** Default: says nothing. */
  readonly log?: Logger;
  /** Must not throw. Called after the store has changed and before subscribers hear of it. */
  readonly onProgress?: OnProgress;
}

/** An informer with a watch of its own. */
export class SharedInformer<T extends KubeObject> implements Informer<T> {
  readonly resource: Resource<T>;
  readonly #name: string;
  readonly #core: InformerCore<T>;
  readonly #reflector: Reflector<T>;
  #hasRun = false;
  #lastError: Error | undefined;

  constructor(options: SharedInformerOptions<T>) {
    const { resource, selection = {}, clock = systemClock, log = silentLogger } = options;
    const { transform, onProgress, onError, onWarning } = options;
    this.resource = resource;
    this.#name = describeInformer(resource, selection);
    this.#core = new InformerCore<T>({
      name: this.#name,
      kind: resource.kind,
      log,
      clock,
      ...(transform !== undefined && { transform }),
      ...(onProgress !== undefined && { onProgress }),
    });
    this.#reflector = new Reflector<T>({
      ...options,
      clock,
      sink: this.#core,
      onError: (error) => {
        this.#lastError = error;
        log.warn("a watch failed and is opened again", { informer: this.#name, error });
        onError?.(error);
      },
      onWarning: (message) => {
        log.warn(message, { informer: this.#name });
        onWarning?.(message);
      },
    });
  }

  /**
   * Watches until the signal aborts, then resolves: once, and never by itself. When it resolves, no request, timer or
   * handler is left; what is in the store can still be read.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#hasRun) throw new InformerReusedError(this.#name);
    this.#hasRun = true;
    await this.#reflector.run(signal);
    await this.#core.stop();
  }

  get hasSynced(): boolean {
    return this.#core.hasSynced;
  }

  /** Throws an InformerStoppedError if it stops before. */
  async synced(signal?: AbortSignal): Promise<void> {
    await this.#core.synced(signal);
  }

  get(key: ObjectKey): Stored<T> | undefined {
    return this.snapshot(keyTextOf(key))?.object;
  }

  /** What is known of an object without parsing it. */
  snapshot(keyText: string): Snapshot<T> | undefined {
    return this.#core.store.get(keyText);
  }

  list(query?: StoreQuery): readonly Stored<T>[] {
    return this.#core.store.list(query);
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#core.store.addIndex(name, valuesOf);
  }

  subscribe(handler: InformerHandler<T>, options?: SubscribeOptions): Subscription {
    return this.#core.subscribe(handler, options);
  }

  get statuses(): readonly InformerStatus[] {
    const { hasSynced, store } = this.#core;
    const { freshness } = this.#reflector;
    const lastError = freshness.phase === "watching" ? undefined : this.#lastError;
    return [
      {
        ...freshness,
        name: this.#name,
        hasSynced,
        objects: store.size,
        ...(lastError !== undefined && { lastError }),
      },
    ];
  }
}

/** Such as `pods in shop` or `metadata of secrets with app=web and type=Opaque`. */
function describeInformer(
  resource: Resource,
  { namespace, labelSelector = "", fieldSelector = "" }: Selection,
): string {
  const kind = groupResourceOf(resource);
  const labels = typeof labelSelector === "string" ? labelSelector : formatLabelSelector(labelSelector);
  const tests = [labels, fieldSelector].filter((test) => test !== "").join(" and ");
  const what = resource.isMetadataOnly === true ? `metadata of ${kind}` : kind;
  const where = namespace === undefined ? what : `${what} in ${namespace}`;
  return tests === "" ? where : `${where} with ${tests}`;
}
