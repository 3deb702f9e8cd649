import type { ApiCall } from "@keelson/client";
import type { KubeObject } from "@keelson/core";
import type { Cache } from "../../cache/cache.ts";
import { isObjectOfCall } from "../causal/call-facts.ts";
import { type Target, targetOf } from "./target.ts";

/** What one run has seen of objects that it may write. Goes with the run. */
export class RunSights {
  readonly #cache: Pick<Cache, "peek">;
  /** By target; made when the first object comes from the server. */
  #seen: Map<string, KubeObject> | undefined;

  constructor(cache: Pick<Cache, "peek">) {
    this.#cache = cache;
  }

  /** Remembers the object in a response of the server. What the cache serves it can serve again. */
  see(call: ApiCall, answer: unknown): void {
    if (!isObjectOfCall(call, answer)) return;
    const target = targetOf(call);
    if (target === undefined) return;
    this.#seen ??= new Map();
    this.#seen.set(target.text, answer);
  }

  /** The object before a write of it, as far as that is known. */
  before({ resource }: ApiCall, { key, text }: Target): KubeObject | undefined {
    return this.#cache.peek(resource, key) ?? this.#seen?.get(text);
  }
}
