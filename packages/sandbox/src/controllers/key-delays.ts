import type { CancelTimer, Clock } from "@keelson/core";

/** Keys that are due later. Of several times for a key, the earliest holds. */
export interface KeyDelays {
  add(key: string, delayMs: number): void;
  /** Forgets all keys. */
  clear(): void;
}

export function createKeyDelays(clock: Clock, onDue: (key: string) => void): KeyDelays {
  const delayed = new Map<string, { readonly dueMs: number; readonly cancel: CancelTimer }>();
  return {
    add(key, delayMs) {
      const dueMs = clock.monotonicNow() + delayMs;
      const earlier = delayed.get(key);
      if (earlier !== undefined && earlier.dueMs <= dueMs) return;
      earlier?.cancel();
      const cancel = clock.schedule(delayMs, () => {
        delayed.delete(key);
        onDue(key);
      });
      delayed.set(key, { dueMs, cancel });
    },
    clear() {
      for (const { cancel } of delayed.values()) cancel();
      delayed.clear();
    },
  };
}
