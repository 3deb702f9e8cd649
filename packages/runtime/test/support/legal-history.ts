import { compareResourceVersions, formatKey, type KubeObject } from "@keelson/core";
import type { InformerEvent } from "../../src/cache/informer/informer.ts";

/** What a subscriber believes after all it was told, and whatever it was told that cannot have happened. */
export class LegalHistory<T extends KubeObject> {
  readonly #versions = new Map<string, string>();
  readonly violations: string[] = [];
  events = 0;

  /** `ns/name` → resource version, of the objects that exist as far as the subscriber knows. */
  get versions(): ReadonlyMap<string, string> {
    return this.#versions;
  }

  add(event: InformerEvent<T>): void {
    this.events += 1;
    const key = formatKey(event.key);
    const known = this.#versions.get(key);
    const { resourceVersion = "" } = event.object.metadata;
    const problem = problemWith(event, known, resourceVersion);
    if (problem !== undefined) this.violations.push(`${event.type} ${key}: ${problem}`);
    if (event.type === "delete") this.#versions.delete(key);
    else this.#versions.set(key, resourceVersion);
  }
}

function problemWith<T extends KubeObject>(
  event: InformerEvent<T>,
  known: string | undefined,
  version: string,
): string | undefined {
  switch (event.type) {
    case "create":
      return known === undefined ? undefined : `it was there already, as of ${known}`;
    case "update": {
      if (known === undefined) return "it was not there";
      const old = event.old.metadata.resourceVersion;
      if (old !== known) return `its old state is of ${old}, but the last one told of was of ${known}`;
      const order = compareResourceVersions(version, known);
      return order > 0 || (order === 0 && event.isSync) ? undefined : `${version} does not follow ${known}`;
    }
    case "delete":
      if (known === undefined) return "it was not there";
      return compareResourceVersions(version, known) >= 0 ? undefined : `${version} is before ${known}`;
  }
}
