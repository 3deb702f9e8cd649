import { compareResourceVersions, formatKey, type KubeObject } from "@keelson/core";
import type { InformerEvent } from "../../src/cache/informer/informer.ts";

/** The state that follows from a subscriber's events, and the events that contradict the ones before them. */
export class LegalHistory<T extends KubeObject> {
  readonly #versions = new Map<string, string>();
  readonly violations: string[] = [];
  events = 0;

  /** `namespace/name` → resource version, of the objects that exist according to the events. */
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
      return known === undefined ? undefined : `it existed already, in version ${known}`;
    case "update": {
      if (known === undefined) return "it did not exist";
      const old = event.old.metadata.resourceVersion;
      if (old !== known) return `its old state has version ${old}, but the last event had version ${known}`;
      const order = compareResourceVersions(version, known);
      return order > 0 || (order === 0 && event.isSync) ? undefined : `${version} does not follow ${known}`;
    }
    case "delete":
      if (known === undefined) return "it did not exist";
      return compareResourceVersions(version, known) >= 0 ? undefined : `${version} is before ${known}`;
  }
}
