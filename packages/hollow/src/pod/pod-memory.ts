import { KeelsonError } from "keelson";
import type { Pod } from "keelson/kinds/core/v1";

/** 10.128.0.0/9 without its first and last address: far from where clusters have their services. */
const firstAddress = (10 << 24) + (128 << 16) + 1;
const addressCount = 2 ** 23 - 2;

/** There is no address left for another pod. */
export class NoAddressLeftError extends KeelsonError {
  static override readonly brand: string = "@keelson/hollow.NoAddressLeftError";
  readonly code = "NO_ADDRESS_LEFT";

  constructor(count: number) {
    super(`take an address: all ${count} are in use; delete pods, or run the nodes in fewer programs`);
  }
}

/**
 * What a program with hollow nodes knows of the existing pods beside what their objects hold. A deleted pod is
 * forgotten, and after a restart the pods hold everything that is needed.
 */
export class PodMemory {
  readonly #addresses = new Map<string, string>();
  readonly #usedAddresses = new Set<string>();
  readonly #changedAtMs = new Map<string, number>();
  #next = 0;

  /** Learns of a pod's address. All pods must have been seen before the first address is given away. */
  see(pod: Pod): void {
    const uid = uidOf(pod);
    const address = pod.status?.podIP;
    if (address === undefined || pod.spec?.hostNetwork === true) return;
    const reserved = this.#addresses.get(uid);
    if (reserved !== undefined && reserved !== address) this.#usedAddresses.delete(reserved);
    this.#addresses.set(uid, address);
    this.#usedAddresses.add(address);
  }

  forget(pod: Pod): void {
    const uid = uidOf(pod);
    const address = this.#addresses.get(uid);
    if (address !== undefined) this.#usedAddresses.delete(address);
    this.#addresses.delete(uid);
    this.#changedAtMs.delete(uid);
  }

  /** The address of the pod: no other has it, and it stays the same until the pod is forgotten. */
  addressOf(pod: Pod): string {
    const uid = uidOf(pod);
    const known = this.#addresses.get(uid);
    if (known !== undefined) return known;
    const address = this.#takeAddress();
    this.#addresses.set(uid, address);
    this.#usedAddresses.add(address);
    return address;
  }

  /** When this program last wrote the pod's status; undefined if it has not. */
  changedAtMs(pod: Pod): number | undefined {
    return this.#changedAtMs.get(uidOf(pod));
  }

  noteChange(pod: Pod, nowMs: number): void {
    this.#changedAtMs.set(uidOf(pod), nowMs);
  }

  /** Goes round, so that an address that was given back is not given away again at once. */
  #takeAddress(): string {
    for (let tries = 0; tries < addressCount; tries += 1) {
      const address = formatAddress(firstAddress + this.#next);
      this.#next = (this.#next + 1) % addressCount;
      if (!this.#usedAddresses.has(address)) return address;
    }
    throw new NoAddressLeftError(addressCount);
  }
}

export function formatAddress(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join(".");
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? "";
}

/** Which images cannot be pulled. A pattern is an image in which `*` stands for any text. */
export class PullRules {
  readonly #failing = new Map<string, RegExp>();

  fail(pattern: string): void {
    this.#failing.set(pattern, expressionOf(pattern));
  }

  /** Removes what was set with the same pattern; without one, all of it. */
  allow(pattern?: string): void {
    if (pattern === undefined) this.#failing.clear();
    else this.#failing.delete(pattern);
  }

  canPull(image: string): boolean {
    return ![...this.#failing.values()].some((expression) => expression.test(image));
  }
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}
