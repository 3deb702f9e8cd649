import { compareResourceVersions, isResourceVersion } from "@keelson/core";

/**
 * Whether version `reached` is `version` or later. Versions that are not integers, which some aggregated API servers use,
 * have no order: only an equal one counts.
 */
export function hasReached(reached: string | undefined, version: string): boolean {
  if (reached === undefined) return false;
  if (reached === version) return true;
  return isOrdered(reached) && isOrdered(version) && compareResourceVersions(reached, version) >= 0;
}

/** Whether a version can be ordered. */
export function isOrdered(version: string): boolean {
  return isResourceVersion(version);
}

/** The latest of the versions that can be ordered. */
export function latestOf(...versions: readonly (string | undefined)[]): string | undefined {
  let latest: string | undefined;
  for (const version of versions) {
    if (version !== undefined && isOrdered(version) && !hasReached(latest, version)) latest = version;
  }
  return latest;
}

interface Awaited {
  readonly version: string;
  readonly keyText: string;
}

/** Keys in the order of the versions that they wait for, which must have an order. A key may wait for several. */
export class VersionOrderedKeys {
  /** Ascending. Those before `#taken` are done with; they go when they are the greater part. */
  #awaited: Awaited[] = [];
  #taken = 0;

  get size(): number {
    return this.#awaited.length - this.#taken;
  }

  /** Versions come nearly in order, so most are added at the end. */
  add(version: string, keyText: string): void {
    let low = this.#taken;
    let high = this.#awaited.length;
    let middle = high - 1;
    while (low < high) {
      const other = this.#awaited[middle];
      if (other !== undefined && hasReached(version, other.version)) low = middle + 1;
      else high = middle;
      middle = (low + high) >> 1;
    }
    this.#awaited.splice(low, 0, { version, keyText });
  }

  /** Removes and returns the keys whose version is reached, the earliest first. */
  takeReached(reached: string): readonly string[] {
    const keys: string[] = [];
    for (;;) {
      const next = this.#awaited[this.#taken];
      if (next === undefined || !hasReached(reached, next.version)) break;
      keys.push(next.keyText);
      this.#taken += 1;
    }
    if (this.#taken * 2 > this.#awaited.length) {
      this.#awaited.splice(0, this.#taken);
      this.#taken = 0;
    }
    return keys;
  }

  /** Keeps only the entries that are still awaited. */
  retain(isAwaited: (keyText: string, version: string) => boolean): void {
    const rest = this.#awaited.slice(this.#taken);
    this.#awaited = rest.filter(({ keyText, version }) => isAwaited(keyText, version));
    this.#taken = 0;
  }

  clear(): void {
    this.#awaited = [];
    this.#taken = 0;
  }
}
