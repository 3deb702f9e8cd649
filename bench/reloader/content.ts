import { createHash } from "node:crypto";
import { type Client, mergePatch } from "keelson";
import { ConfigMap, Secret } from "keelson/kinds/core/v1";

/** A change of content that the API server has accepted. */
export interface ContentChange {
  /** The resource version that it made; those of all kinds are in one order. */
  readonly version: number;
  readonly acceptedAtMs: number;
}

/** A Secret or ConfigMap, and every change of its content. */
export class Content {
  readonly kind: "ConfigMap" | "Secret";
  readonly namespace: string;
  readonly name: string;
  readonly changes: ContentChange[] = [];
  /** How many times it was written after it was created. */
  updates = 0;
  readonly #client: Client;
  readonly #valueBytes: number;
  #data: Readonly<Record<string, string>> = {};
  #revision = 0;

  constructor(client: Client, { kind, namespace, name, valueBytes = 8 }: ContentOptions) {
    this.#client = client;
    this.kind = kind;
    this.namespace = namespace;
    this.name = name;
    this.#valueBytes = valueBytes;
  }

  async create(): Promise<void> {
    const metadata = { namespace: this.namespace, name: this.name };
    this.#data = this.#nextData();
    if (this.kind === "Secret") await this.#client.create(Secret, { metadata, stringData: this.#data });
    else await this.#client.create(ConfigMap, { metadata, data: this.#data });
  }

  /** Gives it content that it never had. */
  async change(): Promise<void> {
    const data = this.#nextData();
    const version = await this.#patch(this.kind === "Secret" ? { stringData: data } : { data });
    this.#data = data;
    this.changes.push({ version, acceptedAtMs: performance.now() });
  }

  /** Changes an annotation and leaves the content as it is. */
  async touch(): Promise<void> {
    this.#revision += 1;
    await this.#patch({ metadata: { annotations: { "example.com/touched": `${this.#revision}` } } });
  }

  /** The variable that upstream adds to containers for it, and the value for the content now. */
  get upstreamVariable(): { readonly name: string; readonly value: string } {
    const entries = Object.entries(this.#data).map(([key, value]) => `${key}=${value}`);
    const text = entries.sort().join(";");
    return {
      name: `STAKATER_${this.name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}_${this.kind.toUpperCase()}`,
      value: createHash("sha1").update(text).digest("hex"),
    };
  }

  async #patch(patch: Readonly<Record<string, unknown>>): Promise<number> {
    const key = { namespace: this.namespace, name: this.name };
    const resource = this.kind === "Secret" ? Secret : ConfigMap;
    const { metadata } = await this.#client.patch<ConfigMap | Secret>(resource, key, mergePatch(patch));
    this.updates += 1;
    return Number(metadata.resourceVersion);
  }

  #nextData(): Readonly<Record<string, string>> {
    this.#revision += 1;
    const value = `${this.name}-${this.#revision}`;
    return { first: value.padEnd(this.#valueBytes, "x"), second: value.padEnd(this.#valueBytes, "y") };
  }
}

export interface ContentOptions {
  readonly kind: "ConfigMap" | "Secret";
  readonly namespace: string;
  readonly name: string;
  /** The length of each of its two values. */
  readonly valueBytes?: number;
}
